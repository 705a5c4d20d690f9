import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../harness/people.ts";
import { enrol } from "../harness/secondFactor.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { following, slipwayProgram } from "./slipwayProgram.ts";

const examples = fileURLToPath(new URL("../../examples/online-boutique", import.meta.url));

let slipway: Slipway;
let run: ReturnType<typeof slipwayProgram>;
let env: Record<string, string>;
let home: string;

beforeAll(async () => {
  slipway = await startSlipway();
  home = mkdtempSync(join(tmpdir(), "slipway-cli-"));
  env = { HOME: home, SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken };
  run = slipwayProgram(env);
});
afterAll(async () => {
  await slipway.close();
  rmSync(home, { recursive: true, force: true });
});

/** A folder of two services that a test may change. */
function shop(name: string): string {
  const folder = join(home, name);
  mkdirSync(folder);
  for (const file of ["frontend.yaml", "redis-cart.yaml"]) cpSync(join(examples, file), join(folder, file));
  return folder;
}

const edit = (file: string, from: string, to: string): void =>
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(from, to));

async function images(project: string): Promise<Record<string, string>> {
  const { json } = await slipway.call<{ services: { service_name: string; containers: { image: string }[] }[] }>(
    "GET",
    `/openapi/environments/dev?projectKey=${project}`,
  );
  return Object.fromEntries(json.services.map((one) => [one.service_name, one.containers[0]?.image ?? ""]));
}

describe("apply", () => {
  test("makes project, services and environment of a folder, and changes nothing the second time", async () => {
    const folder = shop("first");
    const made = await run("apply", "-f", folder);
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining("first/dev: 2 created") });
    expect(Object.keys(await images("first")).sort()).toEqual(["frontend", "redis-cart"]);
    const again = await run("-o", "json", "apply", "-f", folder);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ unchanged: ["frontend", "redis-cart"], objects: [] });
  });

  test("shows what is different, changes it, and removes only what is to be pruned", async () => {
    const folder = shop("second");
    await run("apply", "-f", folder);
    edit(join(folder, "frontend.yaml"), "v0.10.6", "v0.10.5");
    rmSync(join(folder, "redis-cart.yaml"));
    const before = await images("second");

    const dry = await run("apply", "-f", folder, "--prune", "--dry-run");
    expect(dry.out).toContain("would be 1 changed, 1 removed");
    expect(dry.err).toMatch(/\+.*frontend:v0\.10\.5/);
    expect(dry.err).toContain("delete Deployment redis-cart");
    expect(await images("second"), "after a dry run").toEqual(before);

    const kept = await run("apply", "-f", folder);
    expect(kept).toMatchObject({ code: 0, out: expect.stringContaining("1 changed") });
    expect(kept.err).toMatch(/\+.*frontend:v0\.10\.5/);
    expect(await images("second")).toMatchObject({
      frontend: expect.stringMatching(/v0\.10\.5$/),
      "redis-cart": "redis:alpine",
    });

    const pruned = await run("apply", "-f", folder, "--prune");
    expect(pruned).toMatchObject({ code: 0, out: expect.stringContaining("1 removed") });
    expect(Object.keys(await images("second"))).toEqual(["frontend"]);
  });
});

describe("apply of a folder that Slipway refuses", () => {
  const statusOf = async (path: string) => (await slipway.call("GET", path)).status;
  const detail = (project: string) => `/openapi/projects/project/detail?projectKey=${project}`;
  const crd = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: doc}\ndata: {text: 'use {{args}} here'}\n";

  test("names every file, and makes neither project nor service", async () => {
    const folder = shop("refused");
    const long = `${"a".repeat(64)}.yaml`;
    cpSync(join(folder, "frontend.yaml"), join(folder, long));
    const named = await run("apply", "-f", folder);
    expect(named).toMatchObject({ code: 3, err: expect.stringContaining("nothing was changed") });
    expect(named.err).toMatch(new RegExp(`^ *file ${long}: .*at most 63 characters`, "m"));
    rmSync(join(folder, long));
    writeFileSync(join(folder, "doc.yml"), crd);
    writeFileSync(join(folder, "broken.yaml"), "a: b: c\n");
    const unread = await run("apply", "-f", folder);
    expect(unread).toMatchObject({ code: 3, err: expect.stringContaining("refuses 2 of 4 files") });
    expect(unread.err).toMatch(/^ *file doc\.yml: .*function args is not defined/m);
    expect(unread.err).toMatch(/^ *file broken\.yaml: /m);
    expect(unread.err).not.toContain("file frontend.yaml");
    expect(await statusOf(detail("refused"))).toBe(404);
  });

  test("leaves a project as it is when one of its files becomes wrong", async () => {
    const folder = shop("spoilt");
    expect((await run("apply", "-f", folder)).code).toBe(0);
    const before = await images("spoilt");
    edit(join(folder, "frontend.yaml"), "v0.10.6", "v0.10.5");
    writeFileSync(join(folder, "zdoc.yaml"), crd);
    writeFileSync(join(folder, "redis-cart.yaml"), "a: b: c\n");
    for (const more of [[], ["--dry-run"]]) {
      const refused = await run("apply", "-f", folder, ...more);
      expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("refuses 2 of 3 files") });
      expect(refused.err).toMatch(/^ *file zdoc\.yaml: /m);
      expect(refused.err).toMatch(/^ *file redis-cart\.yaml: /m);
    }
    const revisions = await slipway.call("GET", "/openapi/service/yaml/frontend/revisions?projectKey=spoilt");
    expect(revisions.text).not.toContain('"revision":2');
    expect(await images("spoilt")).toEqual(before);
  });

  test("takes its project back when the environment is refused", async () => {
    const folder = shop("nowhere");
    const refused = await run("apply", "-f", folder, "-n", "kube-system");
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("project nowhere: deleted again") });
    await waitFor("the project to go", async () => (await statusOf(detail("nowhere"))) === 404);
    await waitFor("the name to be free", async () => (await run("apply", "-f", folder)).code === 0);
  });

  test("shows what is warned of in a new project as well", async () => {
    const folder = shop("warned");
    writeFileSync(join(folder, "rules.yaml"), crd.replace("{{args}}", "{{ .Value }}"));
    const made = await run("apply", "-f", folder);
    expect(made.code, "a service without pods is waited for no longer").toBe(0);
    expect(made.err).toContain("service rules: made");
    expect(made.err).toMatch(/service rules, line 4: warning: {{ \.Value }} reads the variable Value/);
  });
});

test("status --watch goes on with what changes: new lines in a pipe, a line a change for machines", async () => {
  const folder = shop("watched");
  await run("apply", "-f", folder);
  const watch = following(env);
  const people = watch("status", "dev", "-p", "watched", "-w");
  const machines = watch("-o", "json", "status", "dev", "-p", "watched", "--watch");
  const frontend = (text: string) => text.split("\n").filter((line) => line.startsWith("frontend"));
  await waitFor("both to have begun", async () => frontend(people.said.out).length === 1 && machines.said.out !== "");
  edit(join(folder, "frontend.yaml"), "v0.10.6", "v0.10.5");
  expect((await run("apply", "-f", folder)).code).toBe(0);
  await waitFor("the change to be told", async () => /^frontend {2}running {2}.*v0\.10\.5$/m.test(people.said.out));
  await waitFor("machines to hear of it", async () => machines.said.out.includes("frontend:v0.10.5"));
  await Promise.all([people.stop(), machines.stop()]);
  expect(people.said.out.match(/^redis-cart {2}running {2}redis:alpine$/gm)).toHaveLength(1);
  const told = machines.said.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { services: object[] });
  expect(told.length).toBeGreaterThan(1);
  expect(told.every(({ services }) => services.length === 2)).toBe(true);
  expect(people.said.err + machines.said.err).toBe("");
});

describe("run", () => {
  beforeAll(async () => {
    const clusters = await slipway.call<{ cluster_id: string }[]>("GET", "/openapi/system/cluster");
    const users = await slipway.call<{ users: { uid: string }[] }>("GET", "/openapi/users");
    const shell = (name: string, script: string) => ({
      ...{ name, type: "freestyle" },
      spec: {
        ...{ runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell", script },
        advanced_setting: { cluster_id: clusters.json[0]?.cluster_id },
      },
    });
    const approvers = { needed_approvers: 1, approve_users: [{ user_id: users.json.users[0]?.uid }] };
    const ask = { name: "ask", type: "approval", spec: { type: "native", native_approval: approvers } };
    await slipway.call("POST", "/openapi/projects/project", {
      body: { project_name: "Demo", project_key: "demo", project_type: "yaml" },
    });
    const workflows = {
      hello: [[shell("say", "echo hello {{.workflow.params.who}}")], [ask, shell("tell", "echo released")]],
      broken: [[shell("say", "echo no; exit 3")]],
    };
    for (const [name, stages] of Object.entries(workflows)) {
      const body = {
        ...{ name, project: "demo", params: [{ name: "who", type: "string", value: "world" }] },
        stages: stages.map((jobs, at) => ({ name: `stage-${at}`, jobs })),
      };
      expect(await slipway.call("POST", "/openapi/workflows/custom", { body })).toMatchObject({ status: 200 });
    }
  });

  test("follows a task with what its jobs say, tells who waits for whom, and goes on when it is approved", async () => {
    const following = run("run", "hello", "-p", "demo", "--param", "who=you");
    await waitFor("the question", async () => {
      const { json } = await slipway.call<{ stages?: { jobs: { status: string }[] }[] }>(
        "GET",
        "/openapi/workflows/custom/task?workflowKey=hello&taskId=1",
      );
      return json.stages?.some(({ jobs }) => jobs.some(({ status }) => status === "wait_for_approval"));
    });
    expect(await run("approve", "hello/1")).toMatchObject({ code: 0, out: "Approved: stage-1 of hello/1\n" });
    const ended = await following;
    expect(ended.code).toBe(0);
    expect(ended.err).toContain("say | hello you\n");
    expect(ended.err).toContain("tell | released\n");
    expect(ended.err).toMatch(/^hello\/1 {2}passed$/m);
    expect((await run("task", "hello/1")).out).toMatch(/^ {4}tell {2}passed$/m);
  });

  test("ends with 1 and says so when the task fails", async () => {
    const ended = await run("run", "broken", "-p", "demo");
    expect(ended.code).toBe(1);
    expect(ended.err).toMatch(/slipway: broken\/1 ended failed/);
  });

  test("ends with 5 at its deadline and leaves the task alone", async () => {
    const ended = await run("run", "hello", "-p", "demo", "--timeout", "1s");
    expect(ended.code).toBe(5);
    const number = /hello\/(\d+)/.exec(ended.err)?.[1];
    expect(await run("approve", `hello/${number}`, "--reject")).toMatchObject({ code: expect.any(Number) });
  });
});

describe("an ending says what happened by its code and in words", () => {
  test.each([
    ["an unknown command", ["nothing"], 2, "unknown command"],
    ["a missing option", ["apply"], 2, "--file"],
    ["a folder that is not there", ["apply", "-f", "/nowhere"], 2, "/nowhere"],
    ["a time that is none", ["apply", "-f", examples, "--timeout", "soon"], 2, "soon is no time"],
    ["a record that is not there", ["status", "none", "-p", "nowhere"], 3, "nowhere"],
    ["a value that Slipway refuses", ["apply", "-f", examples, "-p", "Bad Key"], 3, "body project_key"],
    ["a task that is not named", ["task", "hello"], 2, "<workflow>/<number>"],
  ])("%s", async (_, words, code, text) => {
    const ended = await run(...words);
    expect(ended).toMatchObject({ code, out: "" });
    expect(ended.err).toContain(text);
  });

  test("nobody signed in, a wrong token, and nobody there", async () => {
    const others = { HOME: join(home, "other") };
    expect(await slipwayProgram(others)("status")).toMatchObject({
      code: 2,
      err: expect.stringContaining("slipway login"),
    });
    const wrong = { ...others, SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: "wrong" };
    expect(await slipwayProgram(wrong)("status")).toMatchObject({
      code: 3,
      err: expect.stringContaining("slipway login"),
    });
    const nobody = { ...others, SLIPWAY_ADDRESS: "http://127.0.0.1:9" };
    expect(await slipwayProgram(nobody)("status")).toMatchObject({
      code: 4,
      err: expect.stringContaining("nothing answers"),
    });
  });
});

test("a sign-in is kept for its owner alone, and a wrong token is not kept", async () => {
  const own = join(home, "own");
  const file = join(home, "token");
  const signIn = slipwayProgram({ HOME: own });
  writeFileSync(file, "wrong");
  expect(await signIn("login", slipway.runtime.url, "--token-file", file)).toMatchObject({ code: 3 });
  expect(await signIn("status")).toMatchObject({ code: 2 });
  writeFileSync(file, `${adminToken}\n`);
  expect(await signIn("login", slipway.runtime.url, "--token-file", file, "--name", "here")).toMatchObject({ code: 0 });
  expect(statSync(join(own, ".config/slipway/contexts.json")).mode & 0o777).toBe(0o600);
  expect((await signIn("context")).out).toMatch(/\* +here/);
  expect(await signIn("status")).toMatchObject({ code: 0 });
});

test("a sign-in with a second factor takes the code as an option, and says what is missing", async () => {
  const person = await newPerson("two-factors");
  const { codes } = await enrol(slipway, person);
  const signIn = slipwayProgram({ HOME: join(home, "factors"), SLIPWAY_PASSWORD: "Passw0rd-1" });
  const words = ["login", slipway.runtime.url, "--account", "two-factors"];
  expect(await signIn(...words)).toMatchObject({ code: 2, err: expect.stringContaining("give --code") });
  expect(await signIn(...words, "--code", "000000")).toMatchObject({ code: 3 });
  expect(await signIn(...words, "--code", codes[0] ?? "")).toMatchObject({ code: 0 });
  await newPerson("one-factor");
  const demand = (mfa_required_for: string) =>
    slipway.call("POST", "/api/aslan/system/security", { body: { token_expiration_time: 24, mfa_required_for } });
  await demand("everybody");
  const refused = await signIn("login", slipway.runtime.url, "--account", "one-factor", "--name", "one");
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("enrol one first") });
  await demand("nobody");
  expect((await signIn("context")).out).not.toContain("one");
});

test("open tells where something stands in the console, and opens nothing without a terminal", async () => {
  const console = `${slipway.runtime.url}/console/`;
  for (const [words, page] of [
    [[], ""],
    [["-p", "shop"], "v1/projects/detail/shop"],
    [["-p", "shop", "-e", "live", "--production"], "v1/projects/detail/shop/envs/detail?envName=live&production=true"],
    [["-p", "shop", "-w", "ship", "--run", "12"], "v1/projects/detail/shop/pipelines/custom/ship/12"],
  ] as const)
    expect(await run("open", ...words)).toEqual({ code: 0, out: `${console}${page}\n`, err: "" });
  const json = await run("-o", "json", "open", "-p", "shop");
  expect(JSON.parse(json.out)).toEqual({ address: `${console}v1/projects/detail/shop` });
  for (const [words, told] of [
    [["-e", "dev"], "name the project, too: -p <key>"],
    [["-p", "shop", "--run", "12"], "name the workflow, too: -w <key>"],
    [["-p", "shop", "-w", "ship", "--run", "last"], "--run last: write its number, such as 12"],
  ] as const)
    expect(await run("open", ...words)).toEqual({ code: 2, out: "", err: `slipway: ${told}\n` });
});

test("completion offers commands and options that begin as what was typed", async () => {
  expect((await run("complete", "--", "ro")).out).toBe("rollback\nrollout\n");
  expect((await run("complete", "--", "apply", "--dry")).out).toBe("--dry-run\n");
  expect((await run("completion", "elvish")).code).toBe(2);
});
