import { afterAll, beforeAll, expect, test } from "vitest";
import { findUsersByAccount } from "../../../../shared/access/identity/store/users.ts";
import { startWorkflow } from "../../../../shared/workflows/tasks/start/startWorkflow.ts";
import { type HookReceiver, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";

interface Shown {
  total: number;
  deliveries: {
    event: string;
    index: number;
    type: string;
    target: string;
    status: string;
    tries: { problem: string }[];
  }[];
}

let slipway: Slipway;
let receiver: HookReceiver;
let taskId: number;
const path = "/api/aslan/workflow/v4/deliveries";

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  receiver = await startHookReceiver();
  for (const key of ["shop", "other"]) {
    const body = { project_name: key, project_key: key, project_type: "yaml" };
    await slipway.call("POST", "/openapi/projects/project", { body });
  }
  const hook = (address: string, notify_type: string[]) => ({
    ...{ enabled: true, webhook_type: "webhook", notify_type },
    webhook_notification_config: { address, token: "T0KEN" },
  });
  await makeWorkflow("shop", {
    name: "ship",
    stages: [{ name: "gate", jobs: [gate("ask")] }],
    notify_ctls: [hook(`${receiver.url}/hook?key=S3CRET`, ["created"]), hook("https://10.1.1.1/S3CRET", ["passed"])],
  });
  const [user] = await findUsersByAccount("admin");
  const admin = { uid: user?.uid ?? "", name: "admin", account: "admin" };
  taskId = await startWorkflow("shop", "ship", { params: [], inputs: [], notifyInputs: [] }, admin);
});

afterAll(async () => {
  await slipway.close();
  await receiver.close();
});

const list = (query: string, token?: string) =>
  slipway.call<Shown>("GET", `${path}?${query}`, token === undefined ? {} : { token });

test("what was sent about a task is listed with every try and without secrets", async () => {
  const { text, json } = await waitFor("both deliveries", async () => {
    const answer = await list(`projectKey=shop&workflowKey=ship&taskId=${taskId}`);
    const { total, deliveries } = answer.json;
    return total === 2 && deliveries.every(({ status }) => status !== "pending") && answer;
  });
  expect(json.deliveries).toMatchObject([
    {
      event: "created",
      index: 0,
      type: "webhook",
      target: new URL(receiver.url).host,
      status: "sent",
      tries: [{ problem: "" }],
    },
    {
      event: "passed",
      index: 1,
      target: "10.1.1.1",
      status: "failed",
      tries: [{ problem: expect.stringMatching(/not allowed/) }],
    },
  ]);
  expect(text).not.toMatch(/S3CRET|T0KEN/);
});

test.each([
  ["another project", "projectKey=other&workflowKey=ship&taskId=1"],
  ["another workflow", "projectKey=shop&workflowKey=none&taskId=1"],
  ["a number that was not given", "projectKey=shop&workflowKey=ship&taskId=99"],
])("of %s there is nothing: 404", async (_what, query) => {
  expect((await list(query)).status).toBe(404);
});

test("they are read by whoever may read the task: by role, by a collaboration mode, by the verbs of a test", async () => {
  const body = { enabled: true, address: "https://10.1.1.1/S3CRET", events: ["start_execute"] };
  await slipway.call("POST", "/api/aslan/system/webhook/workflow", { body });
  await slipway.call("POST", "/api/aslan/system/basicImages", { body: { label: "sh", value: "sh:1" } });
  const unit = { project_key: "shop", name: `unit ${"x".repeat(59)}`, build_os: "sh", script: "true" };
  expect((await slipway.call("POST", "/openapi/quality/testing", { body: unit })).text).toContain("success");
  const start = { project_key: "shop", test_name: unit.name };
  const started = await slipway.call<{ task_id: number }>("POST", "/openapi/quality/testing/task", { body: start });
  const ofTest = `projectKey=shop&workflowKey=zadig-testing-shop:${unit.name}&taskId=${started.json.task_id}`;
  const { json } = await list(ofTest);
  expect(json.deliveries).toMatchObject([{ event: "created", index: -1, type: "webhook", target: "10.1.1.1" }]);

  const ofWorkflow = `projectKey=shop&workflowKey=ship&taskId=${taskId}`;
  const roles = (...verbs: string[]) => [{ namespace: "shop", roles: { reader: verbs } }];
  const shared = await newPerson("shared");
  const workflows = [{ name: "ship", collaboration_type: "share", verbs: ["get_workflow"] }];
  const mode = { project_key: "shop", name: "readers", user_ids: [shared.uid], workflows };
  expect((await slipway.call("POST", "/openapi/collaborations", { body: mode })).status).toBe(200);
  const people = {
    workflows: (await newPerson("of-workflows", roles("get_workflow"))).token,
    tests: (await newPerson("of-tests", roles("get_test"))).token,
    scans: (await newPerson("of-scans", roles("get_scan"))).token,
    shared: shared.token,
  };
  const statuses = async (token: string) => [
    (await list(ofWorkflow, token)).status,
    (await list(ofTest, token)).status,
  ];
  expect(await statuses(people.workflows)).toEqual([200, 403]);
  expect(await statuses(people.tests)).toEqual([403, 200]);
  expect(await statuses(people.scans)).toEqual([403, 403]);
  expect(await statuses(people.shared)).toEqual([200, 403]);
});

test("each wrong parameter is named", async () => {
  const missing = await list("projectKey=shop&taskId=1");
  expect([missing.status, missing.text]).toEqual([400, expect.stringMatching(/workflowKey/)]);
  const wrong = await list("projectKey=shop&workflowKey=ship&taskId=x");
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/taskId/)]);
});
