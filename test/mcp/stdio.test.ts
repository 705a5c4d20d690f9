import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../harness/people.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { confirmationIn, type Told, told } from "./told.ts";

const program = fileURLToPath(new URL("../../clients/cli/main.ts", import.meta.url));

let slipway: Slipway;
let home: string;
let admin: Client;
let developer: Client;

/** A host that starts the command line with a token, as its configuration would have it. */
async function host(env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [program, "mcp"], stderr: "inherit" },
    env: { PATH: process.env.PATH ?? "", HOME: home, ...env },
  });
  await client.connect(transport);
  return client;
}

const ask = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<Told> =>
  told(await client.callTool({ name, arguments: args }));

beforeAll(async () => {
  slipway = await startSlipway();
  home = mkdtempSync(join(tmpdir(), "slipway-mcp-"));
  await slipway.call("POST", "/openapi/projects/project", {
    body: { project_name: "Shop", project_key: "shop", project_type: "yaml" },
  });
  const person = await newPerson("dev", [{ namespace: "shop", roles: { "read-only": [] } }]);
  admin = await host({ SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken });
  developer = await host({ SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: person.token });
});
afterAll(async () => {
  await admin?.close();
  await developer?.close();
  await slipway.close();
  rmSync(home, { recursive: true, force: true });
});

const manifest = (image: string) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, image: ${image} }]
`;

describe("tools", () => {
  test("are few, tell what they take in the document's words, and say which of them changes something", async () => {
    const { tools } = await admin.listTools();
    expect(tools.length).toBeLessThan(40);
    const [changing, ...others] = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
    expect([changing?.name, others]).toEqual(["make_change", []]);
    const task = tools.find(({ name }) => name === "getTask");
    expect(task).toMatchObject({
      description: expect.stringContaining("Read a task with its stages and jobs"),
      inputSchema: { properties: { workflowKey: { type: "string" }, part: {} }, required: ["workflowKey", "taskId"] },
      annotations: { readOnlyHint: true },
    });
    expect(JSON.stringify(tools).length, "characters of the list").toBeLessThan(40_000);
  });

  test("find operations by words of what is wanted and describe them", async () => {
    const { text } = await ask(admin, "find_operations", { words: "scale a workload" });
    expect(text.split("\n")[0]).toBe(
      "scaleWorkload (changes, with dry run): Set how many pods a workload has, in an environment of either kind",
    );
    expect((await ask(admin, "find_operations")).text).toMatch(/^Environments: \d+ operations$/m);
    const described = await ask(admin, "describe_operation", { operation: "scaleWorkload", part: "body" });
    expect(JSON.parse(described.text)).toMatchObject({ properties: { workload_name: { type: "string" } } });
  });

  test("do not offer what shows a secret, signs somebody out, or is for browsers and services", async () => {
    for (const operation of ["addToken", "rotateToken", "login", "logout", "getPersonal", "hearCodeHost"])
      expect(await ask(admin, "describe_operation", { operation }), operation).toMatchObject({
        isError: true,
        text: expect.stringContaining("there is no operation"),
      });
  });
});

describe("reading", () => {
  test("answers what Slipway answers, by a tool of its own or by name", async () => {
    const own = await ask(admin, "listProjects", { part: "projects[0].project_key" });
    expect(own).toMatchObject({ isError: false, text: '"shop"' });
    const { text } = await ask(admin, "read", { operation: "listClusters" });
    expect(text).toBe((await slipway.call("GET", "/openapi/system/cluster")).text);
  });

  test("is refused with code and problems as a result", async () => {
    expect(await ask(admin, "getTask", { workflowKey: "none", taskId: "1" })).toMatchObject({
      isError: true,
      refusal: { refused_by: "slipway", status: expect.any(Number), code: expect.any(Number), request_id: /\S/ },
    });
    const wrong = await ask(admin, "read", { operation: "getTask", parameters: { workflow: "a" } });
    expect(wrong.refusal).toMatchObject({ refused_by: "tool" });
    expect(wrong.refusal?.problems).toContainEqual({ in: "query", path: "workflowKey", problem: "is required" });
  });

  test("reaches no other endpoint by a name that goes up in its path", async () => {
    for (const name of ["..", ".", ""])
      expect(
        await ask(admin, "read", { operation: "getNamedWorkflow", parameters: { name, projectKey: "shop" } }),
      ).toMatchObject({
        refusal: { refused_by: "tool", problems: [{ in: "path", path: "name", problem: "names nothing" }] },
      });
    const parameters = { name: "../preset/hello", projectKey: "shop" };
    expect(await ask(admin, "read", { operation: "getNamedWorkflow", parameters })).toMatchObject({
      refusal: { refused_by: "slipway" },
    });
  });

  test("does not change anything", async () => {
    const deletion = { operation: "deleteProject", parameters: { projectKey: "shop" } };
    expect(await ask(admin, "read", deletion)).toMatchObject({ isError: true });
    expect((await slipway.call("GET", "/openapi/projects/project/detail?projectKey=shop")).status).toBe(200);
  });

  test("is cut where it would be too long, with how to go on and what may narrow it", async () => {
    const body = { project_key: "shop", service_name: "long", yaml: `# ${"é".repeat(50_000)}\n${manifest("web:1")}` };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw", { body })).status).toBe(200);
    const long = { operation: "getTestService", parameters: { serviceName: "long", projectKey: "shop" } };
    const first = (await ask(admin, "read", long)).text;
    expect(first.length).toBeLessThan(41_000);
    expect(first).toMatch(/\[Cut: characters 0 to 40000 of \d+\. skip=40000 goes on from there\..*`part` .*yaml/s);
    const rest = (await ask(admin, "read", { ...long, skip: 40_000 })).text;
    const whole = (await slipway.call("GET", "/openapi/service/yaml/long?projectKey=shop")).text;
    expect(first.slice(0, 40_000) + rest).toBe(whole);
    expect(await ask(admin, "read", { ...long, part: "nothing" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("service_name"),
    });
  });
});

describe("a change", () => {
  const creation = (service_name: string, image = "web:1") => ({
    operation: "createTestService",
    body: { project_key: "shop", service_name, yaml: manifest(image) },
  });
  const isThere = async (service: string) =>
    (await slipway.call("GET", `/openapi/service/yaml/${service}?projectKey=shop`)).status === 200;

  test("is shown first and made once, with the confirmation of exactly this call", async () => {
    const change = creation("web");
    const previewed = await ask(admin, "preview_change", change);
    expect(previewed).toMatchObject({ isError: false, text: expect.stringContaining('"dry_run":true') });
    expect(await isThere("web"), "after the preview").toBe(false);
    const confirmation = confirmationIn(previewed.text);

    const other = await ask(admin, "make_change", { ...creation("web", "other:1"), confirmation });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining("not one of this call") });
    const foreign = await ask(developer, "make_change", { ...change, confirmation });
    expect(foreign).toMatchObject({ isError: true, text: expect.stringContaining("not one of this call") });
    expect(await isThere("web"), "after wrong confirmations").toBe(false);

    const made = await ask(admin, "make_change", { ...change, confirmation });
    expect(made).toMatchObject({ isError: false });
    expect(await isThere("web")).toBe(true);
    await slipway.call("DELETE", "/openapi/service/yaml/web?projectKey=shop");
    const again = await ask(admin, "make_change", { ...change, confirmation });
    expect(again).toEqual(made);
    expect(await isThere("web"), "after the same confirmation once more").toBe(false);
  });

  test("is refused without a confirmation", async () => {
    expect(await ask(admin, "make_change", creation("bare"))).toMatchObject({
      isError: true,
      text: expect.stringContaining("call preview_change"),
    });
    expect(await isThere("bare")).toBe(false);
  });

  test("that Slipway cannot tell beforehand is shown as it would be sent, with what stands there", async () => {
    const change = { operation: "createLabel", body: { key: "team", description: "who cares" } };
    const { text } = await ask(admin, "preview_change", change);
    expect(text).toContain("Define a label");
    expect(text).toContain('POST /api/aslan/system/labels {}\n{"key":"team"');
    expect(text).not.toContain("may be refused");
    const doubted = await ask(admin, "preview_change", { operation: "createLabel", body: { key: 7 } });
    expect(doubted.text).toMatch(/may be refused:\nkey must be string/);
    const made = await ask(admin, "make_change", { ...change, confirmation: confirmationIn(text) });
    expect(made).toMatchObject({ isError: false });
    expect((await ask(admin, "read", { operation: "listLabels" })).text).toContain('"team"');

    await slipway.call("POST", "/api/v1/user-group", { body: { name: "crew", description: "of the ship", uids: [] } });
    const groups = await slipway.call<{ group_list: { id: string; name: string }[] }>("GET", "/openapi/user-groups");
    const crew = groups.json.group_list.find(({ name }) => name === "crew");
    const deletion = { operation: "deleteGroup", parameters: { id: crew?.id } };
    expect((await ask(admin, "preview_change", deletion)).text).toMatch(/stands there now:\n.*"of the ship"/);
    expect(await ask(admin, "preview_change", { operation: "deleteGroup" })).toMatchObject({
      refusal: { problems: [{ in: "path", path: "id", problem: "is required" }] },
    });
  });

  test("that the caller may not make is refused by Slipway, at its preview and by the change itself", async () => {
    const refused = await ask(developer, "preview_change", creation("theirs"));
    expect(refused).toMatchObject({ isError: true, refusal: { refused_by: "slipway", status: 403, code: 403 } });
    const change = { operation: "deleteProject", parameters: { projectKey: "shop", isDelete: true } };
    const { text } = await ask(developer, "preview_change", change);
    expect(await ask(developer, "make_change", { ...change, confirmation: confirmationIn(text) })).toMatchObject({
      isError: true,
      refusal: { status: 403 },
    });
    expect(await isThere("long")).toBe(true);
  });

  test("says which fields are wrong", async () => {
    const wrong = { operation: "createTestService", body: { project_key: "shop", service_name: "Not A Name" } };
    const { refusal } = await ask(admin, "preview_change", wrong);
    expect(refusal).toMatchObject({ status: 400 });
    expect(refusal?.problems).toContainEqual(expect.objectContaining({ in: "body", path: "yaml" }));
  });
});

test("a workflow is started when it was confirmed, followed, and the end of its log is read", async () => {
  const clusters = await slipway.call<{ cluster_id: string }[]>("GET", "/openapi/system/cluster");
  const spec = {
    ...{ runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell" },
    ...{ script: "for i in $(seq 1 9000); do echo line $i; done", advanced_setting: clusters.json[0] },
  };
  const jobs = [{ name: "say", type: "freestyle", spec }];
  const definition = { name: "hello", project: "shop", stages: [{ name: "only", jobs }] };
  expect(await slipway.call("POST", "/openapi/workflows/custom", { body: definition })).toMatchObject({ status: 200 });

  const start = {
    operation: "startTask",
    body: { project_key: "shop", workflow_key: "hello", inputs: [{ job_name: "say" }] },
  };
  const confirmation = confirmationIn((await ask(admin, "preview_change", start)).text);
  expect(await ask(admin, "make_change", { ...start, confirmation })).toMatchObject({ isError: false });
  const task = { workflowKey: "hello", taskId: 1 };
  await waitFor("its end", async () => (await ask(admin, "getTask", { ...task, part: "status" })).text === '"passed"');

  const log = { workflowName: "hello", taskID: 1, jobName: "say" };
  const last = (await ask(admin, "getJobLog", { ...log, lastLines: 3 })).text.split("\n");
  expect(last).toHaveLength(3);
  expect(last.join()).toContain("line 9000");
  const first = (await ask(admin, "getJobLog", log)).text;
  expect(first).toMatch(/^line 1$/m);
  expect(first).toMatch(/skip=40000 goes on from there\..*`lastLines` takes its end alone\.\]$/s);
  const followed = await ask(admin, "read", { operation: "followJobLog", parameters: { ...log, lines: 5 } });
  expect(followed).toMatchObject({ isError: false, text: expect.stringContaining("line 9000") });
});

test("nobody signed in, and nobody there, are results that say what to do", async () => {
  const nobody = await host({});
  expect((await nobody.listTools()).tools.map(({ name }) => name)).toContain("read");
  expect(await ask(nobody, "read", { operation: "listProjects" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("slipway login"),
  });
  await nobody.close();
  const away = await host({ SLIPWAY_ADDRESS: "http://127.0.0.1:9", SLIPWAY_TOKEN: "t" });
  expect(await ask(away, "listProjects")).toMatchObject({
    isError: true,
    refusal: { status: 0, message: "nothing answers at http://127.0.0.1:9" },
  });
  await away.close();
});
