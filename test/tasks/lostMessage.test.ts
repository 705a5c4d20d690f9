import { afterAll, beforeAll, expect, test } from "vitest";
import { handler as jobTasks } from "../../functions/engine/job/handler.ts";
import { handler as workflowTaskTasks } from "../../functions/engine/workflow-task/handler.ts";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { listDeliveries } from "../../shared/integrations/notify/store/deliveries.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import { rawItems } from "../harness/rawItems.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

let slipway: Slipway;
let receiver: HookReceiver;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  receiver = await startHookReceiver();
  tasks = tasksOf(slipway, "shop");
  const body = { project_name: "shop", project_key: "shop", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(async () => {
  await slipway.close();
  await receiver.close();
});

const hook = (event: string) => ({
  ...{ enabled: true, webhook_type: "webhook", notify_type: [event] },
  webhook_notification_config: { address: `${receiver.url}/${event}` },
});

/** As if whoever wrote the status had been killed before it told anybody: the record of the message is not there. */
async function forgetMessage(workflowKey: string, event: string): Promise<void> {
  const place = { projectKey: "shop", workflowKey, taskId: 1 };
  const sent = await waitFor(`the message ${event}`, async () =>
    (await listDeliveries(place)).find((one) => one.event === event && one.status === "sent"),
  );
  const items = rawItems;
  await items.remove(keys.delivery(place, sent.taskRecordId, sent.deliveryId));
}

const run = async (workflow: string) => ({ ownerId: (await findTaskOwner(workflow))?.id ?? "", taskId: 1 });

test("what a job's settings ask for is told by whoever finishes the job again, and once", async () => {
  const jobs = [{ ...gate("gate"), notify_ctls: [hook("passed")] }];
  await makeWorkflow("shop", { name: "job", stages: [{ name: "only", jobs }] });
  await tasks.end("job", await tasks.started("job", ["gate"]));
  await forgetMessage("job", "passed");
  const event = { task: "finish", ...(await run("job")), job: "job-0-0-0-gate" };
  for (let times = 0; times < 2; times++) await jobTasks(event);
  await receiver.receivedOn("/passed", 2);
  expect((await listDeliveries({ projectKey: "shop", workflowKey: "job", taskId: 1 })).length).toBe(1);
});

test("that a stage waits for its approval is told by whoever looks at the task again", async () => {
  const approval = {
    enabled: true,
    type: "native",
    native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] },
  };
  const notify_ctls = [hook("wait_for_approval")];
  await makeWorkflow("shop", {
    name: "stage",
    notify_ctls,
    stages: [{ name: "only", approval, jobs: [gate("gate")] }],
  });
  await tasks.started("stage", ["gate"]);
  await forgetMessage("stage", "wait_for_approval");
  await workflowTaskTasks({ task: "nextStep", ...(await run("stage")), attempt: 1 });
  await receiver.receivedOn("/wait_for_approval", 2);
});
