import { loadText } from "../aws/objects/objectStore.ts";
import { unseal } from "../aws/secrets/sealedSecret.ts";
import { ApiError } from "../errors/apiError.ts";
import { log } from "../settings/log.ts";
import { ConditionFailed } from "../store/table.ts";
import { table } from "../store/theTable.ts";
import { unlessLost } from "../store/unlessLost.ts";
import { mayRun } from "../workflows/jobs/mayRun.ts";
import { pushedInto } from "../workflows/jobs/pushedRevision.ts";
import type { TaskActor } from "../workflows/records/task.ts";
import { openDefinition } from "../workflows/saved/credentials.ts";
import { findWorkflow, type VersionedWorkflow } from "../workflows/saved/store/workflows.ts";
import { startDefinition, type WorkflowArguments } from "../workflows/tasks/startWorkflow.ts";
import { pushedBy } from "./git/pushed.ts";
import {
  endHookDelivery,
  findHookDelivery,
  type HookDelivery,
  type HookDeliveryRef,
} from "./records/hookDeliveries.ts";
import { findTrigger, isStanding } from "./records/triggers.ts";
import { type Payload, withPayload } from "./rules/payload.ts";
import { sealedFor, type Trigger } from "./rules/trigger.ts";

/** How a delivery ends that starts no task. */
interface Refused {
  status: "ignored" | "failed";
  problem: string;
}

const failed = (problem: string): Refused => ({ status: "failed", problem });

/**
 * Starts the task of a delivery, once, however often and by however many this is done: the transaction that creates the
 * task ends the delivery. Where none is started, the delivery says why.
 */
export async function startDelivery(ref: HookDeliveryRef): Promise<void> {
  const delivery = await findHookDelivery(ref);
  if (delivery?.status !== "accepted") return;
  const refused = await start(delivery).catch((error: unknown) => {
    if (error instanceof ApiError) return failed(error.description);
    // Somebody else ended it.
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  });
  if (refused === undefined) return;
  log.info("trigger started nothing", { workflow: delivery.workflowKey, deliveryId: ref.deliveryId, ...refused });
  await unlessLost(table().write(endHookDelivery(ref, refused)));
}

async function start(delivery: HookDelivery): Promise<Refused | undefined> {
  const { workflowKey, workflowId, kind, trigger: name } = delivery;
  const workflow = await findWorkflow(workflowKey);
  if (workflow?.workflowId !== workflowId) return failed(`workflow ${workflowKey} was deleted`);
  const trigger: Trigger | undefined = await findTrigger({ workflowKey, kind, name });
  if (trigger === undefined || !isStanding(trigger, workflowId)) return failed(`trigger ${name} was deleted`);
  if (!trigger.enabled) return { status: "ignored", problem: `trigger ${name} is disabled` };
  const { savedBy, projectKey } = trigger;
  if (!(await mayRun(savedBy.uid, "run_workflow", { projectKey, workflow: workflowKey })))
    return failed(
      `${savedBy.name}, who saved the trigger, may not run the workflow; somebody with run_workflow in project ${projectKey} must save it again`,
    );
  await startTask(delivery, trigger, workflow);
  return undefined;
}

/** Tasks of a trigger run with the rights of who saved it, and are named after what it is (contract W 16). */
async function startTask(delivery: HookDelivery, trigger: Trigger, workflow: VersionedWorkflow): Promise<void> {
  const payload: Payload = JSON.parse(await loadText(delivery.payload));
  const given: WorkflowArguments = JSON.parse(await unseal(trigger.given, sealedFor(trigger, "given")));
  const creator: TaskActor = { uid: trigger.savedBy.uid, name: trigger.kind, account: trigger.kind };
  await startDefinition(
    workflow,
    async () => {
      const opened = withPayload(await openDefinition(workflow), payload);
      return trigger.kind === "webhook" ? pushedInto(opened, pushedBy(trigger, payload)) : opened;
    },
    withPayload(given, payload),
    creator,
    { marking: ({ taskId }) => [endHookDelivery(delivery, { status: "started", taskId })] },
  );
}
