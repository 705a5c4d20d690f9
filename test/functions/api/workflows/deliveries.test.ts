import { afterAll, beforeAll, expect, test } from "vitest";
import { findUsersByAccount } from "../../../../shared/store/identity/users.ts";
import { startWorkflow } from "../../../../shared/tasks/startWorkflow.ts";
import { type HookReceiver, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { makeWorkflow } from "../../../harness/tasks.ts";
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
    stages: [
      { name: "gate", jobs: [{ name: "ask", type: "approval", spec: { native_approval: { needed_approvers: 0 } } }] },
    ],
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

test("somebody without get_workflow may not read them, and each wrong parameter is named", async () => {
  const { token } = await newPerson(slipway, "mallory");
  expect((await list(`projectKey=shop&workflowKey=ship&taskId=${taskId}`, token)).status).toBe(403);
  const { status, text } = await list("projectKey=shop&taskId=x");
  expect(status).toBe(400);
  expect(text).toMatch(/workflowKey/);
  expect(text).toMatch(/taskId/);
});
