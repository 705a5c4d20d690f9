import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findUsersByAccount } from "../../../../shared/access/identity/store/users.ts";
import { type NotifyInput, notifyInput } from "../../../../shared/integrations/notify/rules/notifyInputs.ts";
import { findWholeTask, type WholeTask } from "../../../../shared/workflows/records/findTasks.ts";
import type { TaskActor } from "../../../../shared/workflows/records/task.ts";
import { findWorkflow } from "../../../../shared/workflows/saved/store/workflows.ts";
import { announceTask } from "../../../../shared/workflows/tasks/announce.ts";
import { approveTask } from "../../../../shared/workflows/tasks/approveTask.ts";
import { cancelTask } from "../../../../shared/workflows/tasks/end/cancelTask.ts";
import { retryTask } from "../../../../shared/workflows/tasks/start/retryTask.ts";
import { startWorkflow } from "../../../../shared/workflows/tasks/start/startWorkflow.ts";
import { type HookReceiver, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { rawItems } from "../../../harness/rawItems.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let slipway: Slipway;
let receiver: HookReceiver;
let admin: TaskActor;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  receiver = await startHookReceiver();
  const project = {
    project_name: "Web Shop",
    project_key: "shop",
    is_public: false,
    description: "",
    project_type: "yaml",
  };
  await slipway.call("POST", "/openapi/projects/project", { body: project });
  const [user] = await findUsersByAccount("admin");
  if (user === undefined) throw new Error("there is no administrator");
  admin = { uid: user.uid, name: user.name, account: user.account };
});

afterAll(async () => {
  await slipway.close();
  await receiver.close();
});

const everything = ["created", "passed", "failed", "timeout", "cancelled", "reject", "pause", "wait_for_approval"];
const hook = (path: string, notify_type: string[] = everything) => ({
  ...{ enabled: true, webhook_type: "webhook", notify_type },
  webhook_notification_config: { address: receiver.url + path, token: "T0KEN-1" },
});
const approval = (more: object = {}) => ({
  ...{ name: "ask", type: "approval", ...more },
  spec: {
    type: "native",
    native_approval: {
      ...{ timeout: 10, needed_approvers: 1 },
      approve_users: [{ type: "user", user_id: admin.uid, user_name: "admin" }],
    },
  },
});

async function start(key: string, notifyInputs: NotifyInput[] = []): Promise<{ ownerId: string; taskId: number }> {
  const taskId = await startWorkflow("shop", key, { params: [], inputs: [], notifyInputs }, admin);
  return { ownerId: (await findWorkflow(key))?.workflowId ?? "", taskId };
}

function until({ ownerId, taskId }: { ownerId: string; taskId: number }, what: (whole: WholeTask) => boolean) {
  return waitFor("the task", async () => {
    const whole = await findWholeTask(ownerId, taskId);
    return whole !== undefined && what(whole) && whole;
  });
}

/** The webhook's calls on a path, as `status` or, before an approval, as the state of the task with no stages. */
async function told(path: string, count: number): Promise<string[]> {
  const calls = await receiver.receivedOn(path, count);
  return calls.map(({ body }) => {
    const { status, stages } = JSON.parse(body).workflow;
    return stages === null ? `${status} waits` : status;
  });
}

test("a task tells that it was created, waits, and ended; its token is sealed, and the bus hears every change", async () => {
  await makeWorkflow("shop", {
    name: "ask-first",
    stages: [
      {
        name: "gate",
        jobs: [approval({ notify_ctls: [hook("/job", ["prepare", "wait_for_approval", "passed"])] })],
      },
    ],
    notify_ctls: [hook("/task"), hook("/changed", ["changed"])],
  });
  const task = await start("ask-first");
  await until(task, ({ jobs }) =>
    jobs.some(({ status, taskToken }) => status === "wait_for_approval" && taskToken !== undefined),
  );
  expect(await told("/task", 2)).toEqual(["waiting", "running waits"]);
  await approveTask(task, "gate", admin, { approve: true, comment: "" });
  await until(task, ({ task: { concluded } }) => concluded);
  expect(await told("/task", 3)).toEqual(["waiting", "running waits", "passed"]);
  expect(await told("/changed", 1)).toEqual(["passed"]);
  expect((await receiver.receivedOn("/job", 3)).length).toBe(3);
  const [call] = await receiver.receivedOn("/task", 1);
  expect(call?.headers["x-zadig-token"]).toBe("T0KEN-1");

  const second = await start("ask-first");
  await until(second, ({ jobs }) =>
    jobs.some(({ status, taskToken }) => status === "wait_for_approval" && taskToken !== undefined),
  );
  await approveTask(second, "gate", admin, { approve: true, comment: "" });
  await until(second, ({ task: { concluded } }) => concluded);
  expect(await told("/task", 6)).toHaveLength(6);
  expect(await told("/changed", 1)).toEqual(["passed"]);

  const events = readFileSync(join(slipway.dataDir, "events.ndjson"), "utf8").trimEnd().split("\n");
  const changes = events.map((line) => JSON.parse(line)).filter(({ detail }) => detail.task_id === 1);
  expect(changes.map((event) => `${event["detail-type"].split(" ")[0]} ${event.detail.to}`)).toEqual([
    "task waiting",
    "task running",
    "stage running",
    "job prepare",
    "job wait_for_approval",
    "job passed",
    "stage passed",
    "task passed",
  ]);
  expect(changes.find(({ detail }) => detail.job_name !== undefined)?.detail).toMatchObject({
    ...{ project_key: "shop", workflow_key: "ask-first", job_name: "job-0-0-0-ask" },
  });
});

test("a task whose start died before telling is told of when it runs", async () => {
  await makeWorkflow("shop", {
    name: "died-early",
    stages: [{ name: "gate", jobs: [approval()] }],
    notify_ctls: [hook("/died", ["created"])],
  });
  const task = await start("died-early");
  const { task: stored } = await until(task, ({ task: { status } }) => status === "running");
  await receiver.receivedOn("/died", 1);
  const items = rawItems;
  const recorded = (await items.all()).filter(({ pk }) => pk === "deliveries#shop#died-early#1");
  expect(recorded).toHaveLength(1);
  for (const item of recorded) await items.remove(item);
  await announceTask({ task: stored }, "queued");
  expect(await told("/died", 2)).toEqual(["waiting", "waiting"]);
});

test("a task that is cancelled while it waits and retried tells both, once each", async () => {
  await makeWorkflow("shop", {
    ...{ name: "never-starts", concurrency_limit: 0 },
    stages: [{ name: "gate", jobs: [gate("ask")] }],
    notify_ctls: [hook("/cancelled")],
  });
  const task = await start("never-starts");
  await cancelTask(task, "admin");
  await cancelTask(task, "admin");
  expect(await told("/cancelled", 2)).toEqual(["waiting", "cancelled"]);
  await retryTask({ ...task, projectKey: "shop" } as never);
  expect((await told("/cancelled", 3)).at(-1)).toBe("waiting");
});

test("the start call's recipients take the place of the configured ones, and variables among them are resolved", async () => {
  const config = { hook_address: `${receiver.url}/ding`, at_mobiles: ["1"] };
  await makeWorkflow("shop", {
    name: "mentions",
    params: [{ name: "who", type: "string", value: "4711" }],
    stages: [{ name: "gate", jobs: [gate("ask")] }],
    notify_ctls: [
      { ...{ enabled: true, webhook_type: "dingding", notify_type: ["passed"] }, dingding_notification_config: config },
    ],
  });
  const recipients = { at_mobiles: ["2"], dynamic_recipients: ["{{.workflow.params.who}}"] };
  receiver.next.push({ status: 200, body: '{"errcode":0}' });
  await start("mentions", [notifyInput.parse({ id: 0, type: "dingding", dingding_notification_config: recipients })]);
  const [call] = await receiver.receivedOn("/ding", 1);
  expect(JSON.parse(call?.body ?? "").at).toEqual({ atMobiles: ["2", "4711"], isAtAll: false });
});

test("a notification job sends its message with variables, and fails in words when it cannot", async () => {
  const job = (name: string, path: string) => ({
    ...{ name, type: "notification" },
    spec: {
      ...{ webhook_type: "wechat", wechat_notification_config: { hook_address: `${receiver.url}${path}` } },
      ...{ title: "Task {{.workflow.task.id}}", content: "by {{.workflow.task.creator}}" },
    },
  });
  await makeWorkflow("shop", { name: "tells", stages: [{ name: "tell", jobs: [job("tell", "/wechat")] }] });
  const task = await start("tells");
  const { task: ended } = await until(task, ({ task: { concluded } }) => concluded);
  expect(ended.status).toBe("passed");
  const [call] = await receiver.receivedOn("/wechat", 1);
  expect(JSON.parse(call?.body ?? "").markdown.content).toMatch(/^### Task 1\n\nby admin\n\n/);

  const lost = job("tell", "");
  const refused = {
    ...lost,
    spec: { ...lost.spec, wechat_notification_config: { hook_address: "https://10.0.0.1/" } },
  };
  await makeWorkflow("shop", { name: "tells-nobody", stages: [{ name: "tell", jobs: [refused] }] });
  const { task: failed, jobs } = await until(await start("tells-nobody"), ({ task: { concluded } }) => concluded);
  expect(failed.status).toBe("failed");
  expect(jobs[0]?.error).toMatch(/^wechat to 10\.0\.0\.1: .*not allowed/);
});

test("tokens of hooks stand in no plan and in no delivery in the clear", async () => {
  const items = rawItems;
  // What a task was started with is kept as the workflow is stored, which holds no credential.
  const shown = (await items.all()).flatMap(({ type, snapshot, ...item }) => {
    return /^task|^delivery/.test(String(type)) ? [JSON.stringify(item)] : [];
  });
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((text) => text.includes("T0KEN-1"))).toEqual([]);
});
