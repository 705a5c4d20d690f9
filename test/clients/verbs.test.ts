import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nearest } from "../../clients/cli/nearest.ts";
import { table } from "../../clients/cli/terminal/words.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { slipwayProgram } from "./slipwayProgram.ts";

let slipway: Slipway;
let home: string;
let run: ReturnType<typeof slipwayProgram>;

/** Runs a command that has to succeed. @returns its output */
async function out(...words: string[]): Promise<string> {
  const ended = await run(...words);
  expect(ended, `${words.join(" ")}: ${ended.err}`).toMatchObject({ code: 0 });
  return ended.out;
}
const json = async (...words: string[]) => JSON.parse(await out("-o", "json", ...words));

beforeAll(async () => {
  slipway = await startSlipway();
  home = mkdtempSync(join(tmpdir(), "slipway-verbs-"));
  run = slipwayProgram({ HOME: home, SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken });
  await out("init", join(home, "shop"), "--image", "nginx:1.28");
  await out("apply", "-f", join(home, "shop/deploy"), "-p", "shop");
}, 120_000);
afterAll(async () => {
  await slipway.close();
  rmSync(home, { recursive: true, force: true });
});

describe("get, list, describe", () => {
  test("show a kind in each form, by its name, its singular or its short name", async () => {
    expect(await out("get", "services", "-p", "shop")).toMatch(/^NAME +TYPE +IMAGES\nweb +k8s +nginx:1\.28\n$/);
    expect(await out("list", "env", "-o", "wide")).toMatch(/^NAME .* CLUSTER\ndev +test +\w+ +shop-dev /);
    expect(await out("get", "projects", "-o", "name")).toBe("shop\n");
    expect(load(await out("get", "svc", "-o", "yaml"))).toMatchObject([{ service_name: "web" }]);
    expect(await json("get", "users")).toMatchObject([{ account: "admin" }]);
    expect(await json("get", "clusters")).toMatchObject([{ status: "normal" }]);
    expect(await json("get", "registries")).toHaveLength(1);
    expect(await out("get", "workflows")).toBe("There are no workflows that you may see.\n");
  });

  test("show one in full", async () => {
    expect(load(await out("describe", "env", "dev"))).toMatchObject({ services: [{ service_name: "web" }] });
    expect(await json("get", "project", "shop")).toMatchObject({ project_key: "shop" });
    expect(load(await out("describe", "user", "admin"))).toMatchObject({ account: "admin" });
    expect(load(await out("describe", "service", "web"))).toMatchObject({ yaml: expect.stringContaining("nginx") });
  });
});

test("env creates, fills, empties and deletes an environment; a dry run changes nothing; wait sees the end", async () => {
  expect(await out("env", "create", "qa", "--dry-run")).toMatch(/would be created\. Nothing was changed/);
  expect(await run("describe", "env", "qa")).toMatchObject({ code: 3 });
  expect(await out("env", "create", "qa", "-n", "shop-quality", "-s", "web")).toBe("shop/qa is created.\n");
  expect(await json("get", "env", "qa")).toMatchObject({
    namespace: "shop-quality",
    services: [{ status: "running" }],
  });
  const removal = await run("env", "remove", "qa", "web", "--dry-run");
  expect(removal.err).toMatch(/^delete Deployment web\n/);
  expect((await json("get", "env", "qa")).services).toHaveLength(1);
  await out("env", "remove", "qa", "web");
  await out("wait", "qa");
  await out("env", "add", "qa", "web");
  await out("env", "update", "qa");
  await out("env", "sleep", "qa");
  expect(await run("delete", "env", "qa")).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  expect(await out("delete", "env", "qa", "--objects", "--dry-run")).toBe("environment qa would be deleted.\n");
  await out("delete", "env", "qa", "--objects", "--yes");
  expect(await out("wait", "qa", "--for", "deleted", "--timeout", "30s")).toBe("shop/qa is deleted.\n");
});

test("image, scale, restart change a service, and history and events tell of it", async () => {
  const dry = await run("image", "web", "nginx:1.29", "--dry-run");
  expect(dry.err).toMatch(/\+ +- image: nginx:1\.29/);
  expect(await json("history", "web")).toHaveLength(1);
  expect(await out("image", "web", "web=nginx:1.29")).toBe("web runs nginx:1.29.\n");
  expect(await out("scale", "web", "2")).toBe("web has 2 pods.\n");
  expect(await out("restart", "web")).toBe("web is restarted.\n");
  expect(await json("history", "web")).toMatchObject([{ operation: "image", images: ["nginx:1.29"] }, {}]);
  expect(await out("events", "web")).toMatch(/Deployment\/web +ScalingReplicaSet/);
  expect(await out("rollback", "web", "--to", "1", "--dry-run")).toMatch(/Nothing was changed/);
});

describe("a workflow", () => {
  test("is saved from a file, runs, is listed and exported, and saved again from what was exported", async () => {
    const file = join(home, "shop/workflow.yaml");
    expect(await out("workflow", "apply", "-f", file, "--dry-run")).toMatch(/^update would be created; nothing/);
    expect(await out("workflow", "apply", "-f", file)).toBe("update is created.\n");
    await out("run", "update");
    expect(await out("runs", "update", "-o", "name")).toBe("update/1\n");
    expect(await json("wait", "update/1")).toMatchObject({ status: "passed" });
    const exported = await out("workflow", "export", "update");
    expect(load(exported)).toMatchObject({ name: "update", stages: [{ jobs: [{ type: "zadig-deploy" }] }] });
    writeFileSync(file, exported.replace("Deploys the service web again", "Another text"));
    expect(await out("workflow", "apply", "-f", file)).toBe("update is replaced.\n");
    expect(await out("workflow", "export", "update")).toContain("Another text");
  });

  test("is checked as saving it would, by lint and by a dry run", async () => {
    const file = join(home, "checked.yaml");
    const approval = { type: "native", native_approval: { approve_users: [], needed_approvers: 1 } };
    const holding = (jobs: object[]) =>
      JSON.stringify({ name: "checked", project: "shop", stages: [{ name: "one", jobs }] });
    writeFileSync(file, holding([{ name: "ask", type: "approval", spec: approval }]));
    for (const how of [["lint"], ["apply", "--dry-run"]]) {
      const { code, err } = await run("workflow", ...how, "-f", file);
      expect({ code, err }).toMatchObject({ code: 3, err: expect.stringContaining("stages[0].jobs[0]") });
    }
    const notice = { webhook_type: "webhook", webhook_notification_config: { address: "https://hooks.example.com" } };
    writeFileSync(file, holding([{ name: "say", type: "notification", spec: { ...notice, content: "hello" } }]));
    expect(await out("workflow", "lint", "-f", file)).toBe("checked can be saved, with warnings.\n");
    expect(await out("get", "workflows", "-o", "name")).not.toContain("checked");
  });

  test("that did not pass is retried, and one that runs is cancelled", async () => {
    const [cluster] = await json("get", "clusters");
    const job = (name: string, script: string) => ({
      ...{ name, project: "shop" },
      stages: [
        {
          name: "one",
          jobs: [
            {
              ...{ name: "say", type: "freestyle" },
              spec: {
                ...{
                  runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" },
                  script_type: "shell",
                  script,
                },
                advanced_setting: { cluster_id: cluster.cluster_id },
              },
            },
          ],
        },
      ],
    });
    for (const one of [job("broken", "exit 3"), job("slow", "sleep 60")]) {
      writeFileSync(join(home, "one.json"), JSON.stringify(one));
      await out("workflow", "apply", "-f", join(home, "one.json"));
    }
    expect(await run("run", "broken")).toMatchObject({ code: 1 });
    expect(await out("retry", "broken/1", "--dry-run")).toMatch(/which is failed, would be run again/);
    expect(await run("retry", "broken/1")).toMatchObject({ code: 1 });
    await out("run", "slow", "--no-wait");
    expect(await out("cancel", "slow/1")).toBe("slow/1 is cancelled.\n");
    expect(await run("wait", "slow/1", "--for", "passed")).toMatchObject({ code: 1 });
    await out("wait", "slow/1", "--for", "ended");
  });
});

test("projects, users and tokens are created and deleted", async () => {
  await out("create", "project", "second", "--name", "Second");
  const password = slipwayProgram({
    ...{ HOME: home, SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken, SLIPWAY_PASSWORD: "Passw0rd1" },
  });
  expect(await password("create", "user", "eve")).toMatchObject({ code: 0 });
  const signedIn = slipwayProgram({ HOME: join(home, "eve"), SLIPWAY_PASSWORD: "Passw0rd1" });
  expect(await signedIn("login", slipway.runtime.url, "--account", "eve")).toMatchObject({ code: 0 });
  const made = await signedIn("token", "create", "ci", "--scope", "read", "--days", "9");
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^slw_\S+\n$/) });
  expect((await signedIn("token", "list", "-o", "name")).out).toContain("ci\n");
  const eve = slipwayProgram({ HOME: home, SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: made.out.trim() });
  expect((await eve("whoami")).out).toMatch(/^Rights +administrator of no project$/m);
  expect(await eve("token", "list")).toMatchObject({ code: 2, err: expect.stringContaining("-u") });
  expect((await eve("doctor")).out).toMatch(/✓ +sign-in +valid/);
  expect(await signedIn("token", "revoke", "ci")).toMatchObject({ code: 0 });
  expect(await eve("whoami")).toMatchObject({ code: 3 });
  expect(await eve("doctor")).toMatchObject({ code: 1, out: expect.stringMatching(/✗ +sign-in/) });
  await out("delete", "user", "eve", "--yes");
  await out("delete", "project", "second", "--yes");
  expect(await out("get", "projects", "-o", "name")).toBe("shop\n");
});

describe("a wrong name", () => {
  test.each([
    [["status", "dve"], /Did you mean dev\?/],
    [["get", "svc", "-p", "shpo"], /Did you mean shop\?/],
    [["runs", "updat"], /Did you mean update\?/],
    [["get", "projct"], /did you mean project\?/],
    [["stauts"], /Did you mean status\?/i],
    [["history", "web", "-e", "prodcution"], /^(?!.*did you mean)/is],
  ])("%j is answered with the nearest one that exists", async (words, text) => {
    const ended = await run(...words);
    expect(ended.code).not.toBe(0);
    expect(ended.err).toMatch(text);
  });

  test.each([
    ["dve", ["dev", "prod"], "dev"],
    ["frontnd", ["frontend", "backend"], "frontend"],
    ["ab", ["xyz"], undefined],
  ])("%s of %j is %s", (name, known, found) => expect(nearest(name, known)).toBe(found));
});

test("the project and the environment come from slipway.yaml, a variable or the context where none is named", async () => {
  await out("create", "project", "another");
  const cwd = process.cwd();
  const local = { HOME: home, SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken };
  const many = await run("get", "env");
  expect(many).toMatchObject({ code: 2, err: expect.stringContaining("choose one with -p") });
  expect(await slipwayProgram({ ...local, SLIPWAY_PROJECT: "shop" })("get", "svc", "-o", "name")).toMatchObject({
    out: "web\n",
  });
  try {
    process.chdir(join(home, "shop"));
    expect(await out("get", "svc", "-o", "name")).toBe("web\n");
    mkdirSync(join(home, "wrong"));
    process.chdir(join(home, "wrong"));
    writeFileSync("slipway.yaml", "projct: shop\n");
    expect(await run("get", "svc")).toMatchObject({ code: 2, err: expect.stringContaining("write project: KEY") });
  } finally {
    process.chdir(cwd);
  }
  writeFileSync(join(home, "token"), adminToken);
  const signedIn = slipwayProgram({ HOME: home });
  await signedIn("login", slipway.runtime.url, "--token-file", join(home, "token"), "--name", "here");
  expect(await signedIn("context", "project", "shop")).toMatchObject({ code: 0 });
  expect(await signedIn("get", "svc", "-o", "name")).toMatchObject({ out: "web\n" });
  expect(readFileSync(join(home, ".config/slipway/contexts.json"), "utf8")).toContain('"project": "shop"');
  await out("delete", "project", "another", "--yes");
});

test("--debug shows each request on standard error, without the token", async () => {
  const ended = await run("--debug", "status");
  expect(ended.err).toMatch(/^> GET \/openapi\/projects\/project\?\S+ 200, request \S+, \d+ ms$/m);
  expect(ended.err).not.toContain(adminToken);
});

test("each shell has a completion, and knows the commands below a command", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"])
    expect(await out("completion", shell)).toContain("complete --");
  expect(await out("complete", "--", "env", "cr")).toBe("create\n");
  expect(await out("complete", "--", "env", '""')).toMatch(/^create\nadd\n/);
});

describe("a table", () => {
  const rows = [["frontend", "registry.example.com/shop/frontend:v1.2.3-with-a-long-tag"]];
  test.each([40, 50])("is cut to %d columns, and keeps both ends of what it cuts", (room) => {
    const lines = table(["NAME", "IMAGE"], rows, room).split("\n");
    expect(lines.every((line) => line.length <= room)).toBe(true);
    expect(lines[1]).toMatch(/^frontend +registry.*….*long-tag$/);
  });

  test("is whole where there is room, and in a pipe", () => {
    expect(table(["NAME", "IMAGE"], rows)).toContain(rows[0]?.[1]);
    expect(table(["NAME", "IMAGE"], rows, 20)).toContain("frontend");
  });
});
