import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { adminToken, type Slipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { told } from "../mcp/told.ts";
import { combinations, projects } from "./secretNames.ts";
import { makeSecretProject, marks, marksIn, patchInput, patchJob } from "./secretProject.ts";

const dataDir = mkdtempSync(join(tmpdir(), "slipway-sent-"));
let receiver: HookReceiver;
let mailServer: SMTPServer;
const mails: string[] = [];
let program: Program;
let reader: { uid: string; token: string };

const ok = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await program.call<T>(method, path, { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.json;
};

beforeAll(async () => {
  receiver = await startHookReceiver(() => '{"code":0,"errcode":0}');
  mailServer = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ["STARTTLS"] },
    onData: async (stream, _session, done) => {
      mails.push(await text(stream));
      done();
    },
  });
  mailServer.listen(0, "127.0.0.1");
  await once(mailServer.server, "listening");
  program = await startProgram({
    ...{ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: adminToken, SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: "100" },
  });
  const sandboxKubeconfigPath = /KUBECONFIG=(\S+)/.exec(program.output())?.[1];
  await makeSecretProject({ call: program.call, dataDir, runtime: { sandboxKubeconfigPath } } as unknown as Slipway);
  const account = { account: "reader", password: "Passw0rd-of-reader" };
  await ok("POST", "/api/v1/users", { ...account, name: "Reader", email: "reader@example.com" });
  reader = await ok("POST", "/api/v1/login", account);
  const identities = [{ identity_type: "user", uid: reader.uid }];
  for (const project of projects)
    await ok("POST", `/openapi/policy/role-bindings?namespace=${project}`, { role: "read-only", identities });
  await ok("POST", "/openapi/policy/roles?namespace=*", { name: "plans", actions: ["get_release_plan"] });
  await ok("POST", "/openapi/policy/role-bindings?namespace=*", { role: "plans", identities });
}, 240_000);

afterAll(async () => {
  await program.end("SIGTERM");
  await receiver.close();
  await new Promise<void>((resolve) => mailServer.close(resolve));
  rmSync(dataDir, { recursive: true, force: true });
});

const ofTasks = ["created", "passed", "failed", "changed"];
const ofPlans = ["planning", "finish_planning", "executing", "success", "cancel"];

/** A notification of each kind that needs no app of a chat service. */
function notifyOf(name: string, notify_type: readonly string[] = ofTasks) {
  const hook_address = (type: string) => `${receiver.url}/${type}/${name}`;
  const settings: Record<string, object> = {
    webhook: { webhook_notification_config: { address: hook_address("webhook") } },
    feishu: { lark_hook_notification_config: { hook_address: hook_address("feishu") } },
    dingding: { dingding_notification_config: { hook_address: hook_address("dingding") } },
    wechat: { wechat_notification_config: { hook_address: hook_address("wechat") } },
    msteams: { msteams_notification_config: { hook_address: hook_address("msteams") } },
    mail: { mail_notification_config: { target_users: [{ type: "email", user_name: `${name}@example.com` }] } },
  };
  return Object.entries(settings).map(([webhook_type, config]) => {
    return { ...{ enabled: true, webhook_type, notify_type }, ...config };
  });
}

const chats = ["webhook", "feishu", "dingding", "wechat", "msteams"];

/** What each kind of notification received of a workflow or a plan. */
const receivedOf = (name: string): Record<string, string[]> => ({
  ...Object.fromEntries(
    chats.map((type) => [
      type,
      receiver.received.filter(({ path }) => path === `/${type}/${name}`).map(({ body }) => body),
    ]),
  ),
  mail: mails.filter((mail) => mail.includes(`${name}@example.com`)).map(readable),
});

/** A mail with its parts decoded beside it. */
const readable = (mail: string): string =>
  `${mail}\n${mail
    .split(/\r?\n\r?\n/)
    .map((part) => Buffer.from(part, "base64").toString())
    .join("\n")}`;

const deployment = (name: string) => ({
  ...{ name, type: "zadig-deploy" },
  spec: { env: "dev", source: "runtime", deploy_contents: ["config"], services: [] },
});
const deployed = (job_name: string, service_name: string) => ({
  ...{ job_name, job_type: "zadig-deploy" },
  parameters: { env_name: "dev", service_list: [{ service_name }] },
});
/** Its Secret is refused by the cluster with a sentence that repeats what is wrong. */
const broken = JSON.stringify({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "broken" } },
  stringData: { password: { a: marks.service } },
});

const tasks = [
  { name: "deploys", job: deployment("put"), input: deployed("put", "login"), status: "passed" },
  { name: "refused", job: deployment("put"), input: deployed("put", "broken"), status: "failed" },
  { name: "patches", job: patchJob, input: patchInput, status: "failed" },
];

async function run({ name, job, input, status }: (typeof tasks)[number]): Promise<void> {
  await ok("POST", "/openapi/workflows/custom", {
    ...{ name, display_name: name, project: "veil", notify_ctls: notifyOf(name) },
    stages: [{ name: "only", jobs: [{ ...job, notify_ctls: notifyOf(name) }] }],
  });
  await ok("POST", "/openapi/workflows/custom/task", { project_key: "veil", workflow_key: name, inputs: [input] });
  const path = `/openapi/workflows/custom/task?projectKey=veil&workflowKey=${name}&taskId=1`;
  const end = await waitFor("the task to end", async () => {
    const task = await ok<{ status: string }>("GET", path);
    return ["passed", "failed"].includes(task.status) && task;
  });
  expect(end.status).toBe(status);
}

/** Everything that a name was told of, once each kind had something. */
async function toldOf(name: string): Promise<Record<string, string[]>> {
  return waitFor(`notifications of ${name}`, async () => {
    const received = receivedOf(name);
    return Object.values(received).every((one) => one.length > 0) && received;
  });
}

const leaksIn = (received: Record<string, readonly string[]>) =>
  Object.entries(received).flatMap(([where, texts]) =>
    texts.flatMap((one) => marksIn(one).map((mark) => `${mark} in ${where}`)),
  );

describe("values of Secrets", () => {
  test("stand in no notification of a task that deploys, is refused, or patches and fails", async () => {
    await ok("POST", "/api/aslan/system/email/host", {
      ...{ name: "127.0.0.1", port: (mailServer.server.address() as AddressInfo).port, from: "ci@example.com" },
    });
    await ok("POST", "/api/aslan/system/webhook/workflow", {
      ...{ enabled: true, address: `${receiver.url}/system`, events: ["start_execute", "complete_execute"] },
    });
    await ok("POST", "/openapi/service/yaml/raw?projectKey=veil", { service_name: "broken", yaml: broken });
    for (const task of tasks) {
      await run(task);
      const received = await toldOf(task.name);
      expect(leaksIn(received)).toEqual([]);
      if (task.status === "failed") expect(received.webhook?.join()).toMatch(/"error":"[^"]*Secret/);
    }
    const system = await receiver.receivedOn("/system", 2 * tasks.length);
    expect(leaksIn({ system: system.map(({ body }) => body) })).toEqual([]);
  }, 300_000);

  test("stand in no notification of a release plan that runs such a workflow", async () => {
    const plans = "/openapi/release_plan/v1";
    const head = {
      name: "evening",
      manager: "admin",
      manager_identity_type: "system",
      notify_ctls: notifyOf("evening", ofPlans),
    };
    const spec = { workflow_key: "patches", project_key: "veil", inputs: [patchInput] };
    const jobs = [{ name: "patches", type: "workflow", spec }];
    const { id } = await ok<{ id: string }>("POST", plans, head);
    await ok("PATCH", `${plans}/${id}`, { ...head, jobs });
    for (const status of ["finish_planning", "executing"]) await ok("POST", `${plans}/${id}/status/${status}`);
    const plan = () =>
      ok<{ jobs: { id: string; name: string; type: string; status: string }[] }>("GET", `${plans}/${id}`);
    const [job] = (await plan()).jobs;
    await ok("POST", `${plans}/${id}/execute`, { id: job?.id, name: job?.name, type: job?.type, spec: {} });
    await waitFor("the job to end", async () => !["todo", "running"].includes((await plan()).jobs[0]?.status ?? ""));
    const received = await toldOf("evening");
    expect(received.webhook?.join()).toContain('"patches"');
    expect(leaksIn(received)).toEqual([]);
  }, 300_000);

  test("are found in what a receiver gets, if they are there", async () => {
    const address = `${receiver.url}/proof`;
    await ok("POST", "/openapi/workflows/custom", {
      ...{ name: "proof", display_name: "proof", project: "veil" },
      stages: [
        {
          name: "only",
          jobs: [
            {
              name: "tell",
              type: "notification",
              spec: {
                ...{ webhook_type: "dingding", dingding_notification_config: { hook_address: address } },
                ...{ title: "proof", content: marks.config },
              },
            },
          ],
        },
      ],
    });
    await ok("POST", "/openapi/workflows/custom/task", {
      project_key: "veil",
      workflow_key: "proof",
      inputs: [{ job_name: "tell", parameters: {} }],
    });
    const [call] = await receiver.receivedOn("/proof", 1);
    expect(marksIn(call?.body ?? "")).toEqual(["config"]);
  });

  test("stand in no span", async () => {
    const exported = () => receiver.received.filter(({ path }) => path === "/v1/traces").map(({ body }) => body);
    const names = [
      ...tasks.map(({ name }) => `workflow ${name}`),
      ...["job zadig-deploy", "job k8s-resource-patch", "POST /openapi/workflows/custom/task"],
      ...["PUT /openapi/service/yaml/:serviceName", "POST /openapi/environments/:envName/envcfgs"],
    ];
    await waitFor("the spans", async () =>
      names.every((name) => exported().some((one) => one.includes(`"name":"${name}"`))),
    );
    expect(leaksIn({ spans: exported() })).toEqual([]);
  });
});

interface Operation {
  operationId: string;
  parameters?: { name: string; required?: boolean }[];
  "x-slipway-reads"?: boolean;
}

describe("the tools of an MCP host", () => {
  let client: Client;
  let end: () => Promise<unknown>;

  beforeAll(async () => {
    const main = fileURLToPath(new URL("../../clients/cli/main.ts", import.meta.url));
    const child = spawn(process.execPath, [main, "mcp", "--http", "--port", "0"], {
      env: { PATH: process.env.PATH, HOME: "/nowhere", SLIPWAY_ADDRESS: program.url },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = await once(child.stdout, "data");
    client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${reader.token}` } };
    const url = new URL(/http:\S+/.exec(String(printed))?.[0] ?? "");
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as Transport);
    end = async () => {
      await client.close();
      child.kill("SIGTERM");
    };
  });
  afterAll(() => end());

  test("answer a reader no value of a Secret", async () => {
    const found: { tool: string; args: object; isError: boolean; text: string }[] = [];
    const ask = async (tool: string, args: Record<string, unknown>) => {
      const { isError, text: answer } = told(await client.callTool({ name: tool, arguments: args }));
      found.push({ tool, args, isError, text: answer });
      return answer;
    };
    const lists = ["/openapi/delivery/releases?projectKey=veil", "/openapi/release_plan/v1"];
    const listed = await Promise.all(lists.map((path) => program.call("GET", path)));
    const ids = listed.flatMap(({ text: list }) => list.match(/\b[0-9a-f]{24}\b/g) ?? []);
    const known = { versionIds: [...new Set(ids)], uid: reader.uid };
    const filled = (names: readonly string[]) => projects.flatMap((project) => combinations(names, project, known));
    const { tools } = await client.listTools();
    const general = ["find_operations", "describe_operation", "read", "preview_change", "make_change"];
    for (const { name, inputSchema } of tools.filter((one) => !general.includes(one.name))) {
      const all = Object.keys(inputSchema.properties ?? {});
      for (const args of [...filled(all), ...filled(inputSchema.required ?? [])]) await ask(name, args);
    }
    const document = await ok<{ paths: Record<string, Record<string, Operation>> }>("GET", "/openapi.json");
    const operations = Object.values(document.paths).flatMap((one) => Object.entries(one));
    for (const [method, { operationId: operation, parameters = [], ...shown }] of operations) {
      const reads = method === "get" || shown["x-slipway-reads"] === true;
      const required = parameters.filter((one) => one.required).map(({ name }) => name);
      const ofProject = parameters.filter(({ name }) => name === "projectKey").map(({ name }) => name);
      for (const names of filled([...new Set([...required, ...ofProject])]))
        await ask(reads ? "read" : "preview_change", { operation, parameters: names });
    }
    await ask("find_operations", { words: "secret" });
    await ask("describe_operation", { operation: "getTestService" });
    const change = {
      operation: "updateTestService",
      parameters: { serviceName: "login", projectKey: "veil" },
      body: { type: "k8s", yaml: "a: 1" },
    };
    await ask("make_change", { ...change, confirmation: "" });
    expect(
      found.flatMap(({ tool, args, text: answer }) =>
        marksIn(answer).map((one) => `${one} in ${tool} ${JSON.stringify(args)}`),
      ),
    ).toEqual([]);
    const answered = new Set(found.filter(({ isError }) => !isError).map(({ tool }) => tool));
    const silent = tools.map(({ name }) => name).filter((name) => !answered.has(name));
    expect(tools.filter(({ name }) => !found.some(({ tool }) => tool === name))).toEqual([]);
    // No pod has the log, and nothing was confirmed.
    expect(silent.sort()).toEqual(["followContainerLog", "make_change"]);
    expect(found.filter(({ text: answer }) => answer.includes("********")).map(({ tool }) => tool)).toContain("read");
  }, 300_000);
});
