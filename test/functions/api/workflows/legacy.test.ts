import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId, nowSeconds } from "../../../../shared/base/store/ids.ts";
import { recordCommits } from "../../../../shared/workflows/records/commits.ts";
import { findTask } from "../../../../shared/workflows/records/findTasks.ts";
import type { Task } from "../../../../shared/workflows/records/task.ts";
import { findTaskOwner } from "../../../../shared/workflows/records/taskHeads.ts";
import { type GitServer, hasGit, startGitServer } from "../../../harness/gitServer.ts";
import { type HookReceiver, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { newPerson } from "../../../harness/people.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { storeCallsOf, unitsOf } from "../../../harness/storeCallsOf.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";

const path = "/api/directory/workflowTask";
const one = (id: number | string, call = "") => `${path}/id/${id}/pipelines/ship${call}`;

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let receiver: HookReceiver;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({
    podDelayMilliseconds: 0,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
  }));
  receiver = await startHookReceiver();
  const yamlOf = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  progressDeadlineSeconds: 5
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "nginx:1" }] }
`;
  const ok = async (method: string, at: string, body: object) => {
    const { status, text } = await slipway.call(method, at, { body });
    expect(status, text).toBe(200);
  };
  for (const name of ["web", "brittle"])
    await ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: name, yaml: yamlOf(name) });
  await ok("POST", "/openapi/environments?projectKey=shop", {
    ...{ env_key: "dev", namespace: "shop-dev", cluster_id: "0123456789abcdef12345678" },
    ...{ registry_id: "0123456789abcdef12345679", services: [{ service_name: "web" }, { service_name: "brittle" }] },
  });
  await waitFor("the environment", async () => {
    const { json } = await slipway.call<{ status: string }>("GET", "/openapi/environments/dev?projectKey=shop");
    return json.status === "running";
  });
  await makeWorkflow("shop", {
    name: "ship",
    stages: [
      { name: "gate", jobs: [gate("look")] },
      { name: "ship", jobs: [{ name: "put", type: "zadig-deploy", spec: { env: "other", source: "runtime" } }] },
    ],
  });
});

afterAll(async () => {
  await receiver.close();
  await slipway.close();
});

const image = { image: "nginx:2", service_name: "web", service_module: "main" };
const usual = { workflow_name: "ship", env_name: "dev", release_images: [image] };

async function create(more: object = {}, options: object = {}) {
  return slipway.call<{ task_id: number; code: number; extra: object }>("POST", `${path}/create`, {
    body: { ...usual, ...more },
    ...options,
  });
}

describe("a task by the older API", () => {
  test("deploys the images alone, is shown with them, and calls back, signed and recorded", async () => {
    const callback = {
      callback_url: encodeURIComponent(`${receiver.url}/done?a=1`),
      ...{ callback_vars: { build: 7 }, callback_secret: "a-key-of-the-caller" },
    };
    const { status, json, text } = await create({ callback });
    expect(status, text).toBe(200);
    expect(json).toEqual({ project_name: "shop", workflow_name: "ship", task_id: json.task_id });
    expect(await tasks.end("ship", json.task_id)).toMatchObject({ status: "passed" });
    const shown = await slipway.call("GET", one(json.task_id));
    expect(shown.json).toEqual({
      ...{ workflow_name: "ship", env_name: "dev", status: "passed", targets: [], images: [], test_reports: [] },
    });
    const environment = await slipway.call("GET", "/openapi/environments/dev?projectKey=shop");
    expect(environment.text).toContain("nginx:2");
    const [call] = await receiver.receivedOn("/done?a=1", 1);
    const told = {
      status: "passed",
      task_id: json.task_id,
      workflow_name: "ship",
      error: "",
      vars: { build: 7 },
      images: [],
    };
    expect(JSON.parse(call?.body ?? "")).toEqual(told);
    const [, time, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(call?.headers["x-slipway-signature"])) ?? [];
    const expected = createHmac("sha256", "a-key-of-the-caller").update(`${time}.${call?.body}`).digest("hex");
    expect(signature).toBe(expected);
    await waitFor("the delivery to be recorded", async () => {
      const at = `/api/aslan/workflow/v4/deliveries?projectKey=shop&workflowKey=ship&taskId=${json.task_id}`;
      const { text: deliveries } = await slipway.call("GET", at);
      return deliveries.includes('"type":"callback"') && deliveries.includes('"status":"sent"');
    });
    expect((await slipway.call("POST", one(json.task_id, "/restart"))).json).toMatchObject({
      code: 6164,
      type: "error",
    });
    expect((await slipway.call("POST", one(json.task_id, "/cancel"))).json).toMatchObject({
      code: 6163,
      description: `task: ship:${json.task_id} is passed, cannot cancel`,
    });
    const whole = await findTask((await findTaskOwner("ship"))?.id ?? "", json.task_id);
    expect(JSON.stringify(whole)).not.toContain("a-key-of-the-caller");
  });

  test("that failed is run again under its number, and can be cancelled", async () => {
    const { status, json, text } = await create({
      release_images: [{ ...image, service_name: "brittle", image: "nginx:missing" }],
    });
    expect(status, text).toBe(200);
    const id = json.task_id;
    const done = { message: "success", resultCode: 0, errorMsg: "success" };
    const failed = await tasks.end("ship", id);
    expect(failed.status).toBe("failed");
    const { token } = await newPerson("lee", [{ namespace: "shop", roles: { runs: ["run_workflow"] } }]);
    expect((await slipway.call("POST", one(id, "/restart"), { token })).json).toEqual(done);
    const again = await tasks.end("ship", id);
    expect(again.status).toBe("failed");
    expect(again.start_time).toBeGreaterThan(failed.start_time);
    expect([failed, again]).toMatchObject([{ task_creator: "admin" }, { task_creator: "lee" }]);
    expect((await slipway.call("POST", one(id, "/cancel"))).json).toEqual(done);
    expect((await slipway.call("GET", one(id))).json).toMatchObject({ status: "cancelled" });
    expect((await slipway.call("POST", one(id, "/restart"))).json).toEqual(done);
    expect((await tasks.read("ship", id)).status).not.toBe("cancelled");
    expect((await slipway.call("POST", one(id, "/cancel"))).json).toEqual(done);
    expect((await tasks.end("ship", id)).status).toBe("cancelled");
  });

  test("is refused with the codes of the contract", async () => {
    expect((await create({ workflow_name: "nothing" })).json).toMatchObject({ code: 6542 });
    expect((await create({ env_name: "nowhere" })).json).toMatchObject({ code: 6160 });
    const unknown = { release_images: [{ ...image, service_name: "nothing" }] };
    expect((await create(unknown)).json).toMatchObject({ code: 6083 });
    const lacking = { release_images: [{ ...image, service_module: "side" }] };
    expect((await create(lacking)).json).toMatchObject({
      code: 6168,
      extra: { productName: "shop", envName: "dev", serviceName: "web", containerName: "side" },
    });
    const target = { name: "web", build: { repos: [{ repo_name: "web", branch: "main" }] } };
    expect((await create({ targets: [target] })).json).toMatchObject({ code: 6160 });
    for (const call of ["/restart", "/cancel"])
      expect((await slipway.call("POST", one(999, call))).json).toMatchObject({
        ...{ code: call === "/restart" ? 6164 : 6163, description: "failed to get workflow task" },
      });
    const missing = await slipway.call<{ description: string }>("GET", one(999));
    expect(missing.status).toBe(500);
    expect(missing.json).toMatchObject({ code: 500, message: "Internal Error: " });
    expect(missing.json.description).toMatch(/^\[400 BadRequest\] \{"code":6161,/);
  });

  test("has both bodies on a bad parameter and a missing right", async () => {
    const bad = { resultCode: 400, errorMsg: "param is illegal!", code: 400, type: "error" };
    const refused = { resultCode: 401, errorMsg: "auth failed!", code: 401, type: "error" };
    const expectBoth = ({ status, json }: { status: number; json: unknown }, body: { resultCode: number }) => {
      expect(status).toBe(body.resultCode);
      expect(json).toMatchObject(body);
    };
    expectBoth(await slipway.call("GET", one("x")), bad);
    expectBoth(await slipway.call("GET", path), bad);
    expectBoth(await slipway.call("GET", `${path}?commitId=1234567`), bad);
    expectBoth(await create({ release_images: [] }), bad);
    expectBoth(await create({ targets: [{ name: "web", service_type: "vm", build: { repos: [] } }] }), bad);
    expectBoth(await create({ callback: { callback_url: "file:///etc/passwd" } }), bad);
    expectBoth(await create({}, { token: null }), refused);
    const { token } = await newPerson("reader", [{ namespace: "shop", roles: { "read-only": [] } }]);
    expectBoth(await create({}, { token }), refused);
    expectBoth(await slipway.call("POST", one(1, "/cancel"), { token }), refused);
    expect((await slipway.call("GET", one(1), { token })).status).toBe(200);
  });
});

if (!hasGit) console.warn("SKIPPED: targets of the older API. Install git with git-http-backend to run them.");

describe.skipIf(!hasGit)("targets of the older API", () => {
  let git: GitServer;
  let commit: string;

  beforeAll(async () => {
    git = await startGitServer({ password: "git-pa55word" });
    commit = git.repository("team/web.git").commit("main", { tag: "3" });
    const ok = async (at: string, body: object) => {
      const { status, text } = await slipway.call("POST", at, { body });
      expect(status, text).toBe(200);
    };
    const host = { type: "gitlab", address: git.url, auth_type: "token", access_token: "git-pa55word" };
    await ok("/api/aslan/system/codehosts", { ...host, alias: "git" });
    await ok("/openapi/build?projectKey=shop", {
      ...{ name: "web-build", project_key: "shop", infrastructure: "kubernetes", build_os: "ubuntu 20.04" },
      ...{ installs: [], script_type: "shell", build_script: "IMAGE=nginx:$(cat web/tag)" },
      services: [{ service_name: "web", service_module: "main" }],
      repo_info: [{ codehost_name: "git", repo_namespace: "team", repo_name: "web", branch: "main" }],
    });
    const put = { env: "other", source: "fromjob", job_name: "make", deploy_contents: ["image"] };
    await makeWorkflow("shop", {
      name: "make",
      stages: [
        { name: "make", jobs: [{ name: "make", type: "zadig-build", spec: { source: "runtime" } }] },
        { name: "put", jobs: [{ name: "put", type: "zadig-deploy", spec: put }] },
      ],
    });
  });

  afterAll(() => git?.close());

  test("are built from their branches, deployed, and found by the commit", async () => {
    const repos = [{ repo_name: "web", branch: "main" }];
    const targets = [{ name: "web", service_type: "k8s", build: { repos } }];
    const { status, json, text } = await create({ workflow_name: "make", release_images: null, targets });
    expect(status, text).toBe(200);
    expect(await tasks.end("make", json.task_id)).toMatchObject({ status: "passed" });
    const environment = await slipway.call("GET", "/openapi/environments/dev?projectKey=shop");
    expect(environment.text).toContain("nginx:3");
    const shown = await slipway.call("GET", `${path}/id/${json.task_id}/pipelines/make`);
    expect(shown.json).toMatchObject({
      ...{ workflow_name: "make", env_name: "dev", status: "passed" },
      targets: [{ name: "web", service_type: "k8s", build: { repos: [{ ...repos[0], pr: 0 }] } }],
      images: [{ image: "nginx:3", service_name: "web" }],
    });
    const found = await slipway.call("GET", `${path}?commitId=${commit.slice(0, 10)}`);
    expect(found.json).toMatchObject([{ task_id: json.task_id, status: "passed" }]);
  });
});

describe("tasks of a commit", () => {
  test("are found by its beginning for 24 hours, by those who may read them, in two round trips", async () => {
    const id = `${newId()}${newId()}`.slice(0, 40);
    const owner = await findTaskOwner("ship");
    const task = (await findTask(owner?.id ?? "", 1)) as Task;
    await recordCommits(task, [id, id.toUpperCase()]);
    await recordCommits({ ...task, taskId: 2, createTime: nowSeconds() - 25 * 3600 }, [id]);
    const found = [{ task_id: 1, status: "passed", create_time: task.createTime, start_time: task.startTime }];
    for (const part of [id, id.slice(0, 8), id.slice(0, 20).toUpperCase()])
      expect((await slipway.call("GET", `${path}?commitId=${part}`)).json, part).toMatchObject(found);
    expect((await slipway.call("GET", `${path}?commitId=${id.slice(0, 12)}ffffffff`)).json).toEqual([]);
    const { calls } = await storeCallsOf("GET", `${path}?commitId=${id}`);
    const own = calls.slice(4);
    expect(own.length).toBeLessThanOrEqual(2);
    expect(unitsOf(own)).toBeLessThanOrEqual(1.5);
    const stranger = await newPerson("stranger");
    const asked = await slipway.call("GET", `${path}?commitId=${id}`, { token: stranger.token });
    expect({ status: asked.status, json: asked.json }).toEqual({ status: 200, json: [] });
  });
});
