import { unseal } from "../../../base/aws/secrets/sealedSecret.ts";
import { config } from "../../../base/settings/config.ts";
import { log } from "../../../base/settings/log.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { sendCallback } from "../../../integrations/notify/sendCallback.ts";
import { recordTaskEnd } from "../../../releaseplans/records/recordTaskEnd.ts";
import { closeTask } from "../../records/changeTask.ts";
import { stageStates } from "../../records/currentState.ts";
import { findWholeTask, type WholeTask } from "../../records/findTasks.ts";
import { callbackOwner, type LegacyCallbackSettings } from "../../records/legacyTask.ts";
import { notifyWaitingJobs } from "../../records/notifyWaitingJobs.ts";
import { releaseTask } from "../../records/queue.ts";
import { builtImages } from "../../records/rules/builtImages.ts";
import { legacyStatus } from "../../records/rules/legacyStatus.ts";
import { nextStep as decide } from "../../records/rules/nextStep.ts";
import { isTaskFinal } from "../../records/rules/status.ts";
import { acceptHookDeliveries } from "../../triggers/intake/acceptHookDeliveries.ts";
import { notifyStarter } from "../../triggers/intake/notifyStarter.ts";
import { triggersAfter } from "../../triggers/records/triggers.ts";
import { followedEndings } from "../../triggers/rules/trigger.ts";
import { announceTask } from "../announce.ts";
import { dispatchTasks } from "../dispatchTasks.ts";
import { endStage, type TaskRun } from "../nextStep.ts";
import { traceTask } from "./traceTask.ts";

/**
 * Ends a run: derives the final status, frees the slots, then does what follows an end (contract W 8.10). Any step may
 * be repeated; what a crash interrupts is done by the repetition or by the reconciler.
 * @param error set when the machinery failed; the task is failed then
 */
export async function concludeTask(run: TaskRun, error = ""): Promise<void> {
  const whole = await findWholeTask(run.ownerId, run.taskId);
  if (whole === undefined || whole.task.attempt !== run.attempt) return;
  // A large task that could not be planned says why.
  const why = error || (whole.task.unplanned === true ? whole.task.error : "");
  if (whole.task.holdsSlot && !(await end(whole, why))) return concludeTask(run, error);
  await afterEnd(whole);
}

/** @returns false when it was cancelled, or ended by another conclusion, meanwhile */
async function end(whole: WholeTask, error: string): Promise<boolean> {
  const { task } = whole;
  if (error !== "") await leaveRounds(whole);
  const step = decide(stageStates(whole), task.status);
  const derived = step.do === "end" ? step.status : "failed";
  const status = error === "" || task.status === "cancelled" ? derived : "failed";
  const ended = { status, error, endTime: nowSeconds(), startTime: task.startTime };
  if (!(await tryWrite(releaseTask(whole, ended)))) return false;
  whole.task = { ...task, ...ended, holdsSlot: false };
  return true;
}

/** A stage whose approval a chat service was asked for ends with the machinery: what is said there is not waited for. */
async function leaveRounds(whole: WholeTask): Promise<void> {
  for (const { stage, status, retryNum, approval } of whole.stages)
    if (status === "wait_for_approval" && retryNum === whole.task.retryNum && approval?.vendor !== undefined)
      await endStage(whole, stage, "failed");
}

/** What follows the end of a task, once: those who wait for it, the release plan it is of, notifications, workflows that follow, the next tasks. */
export async function afterEnd(whole: WholeTask): Promise<void> {
  const { task } = whole;
  if (!isTaskFinal(task.status)) return;
  if (!task.concluded) {
    traceTask(task);
    await announceTask(whole, "running", await withStagesEnded(whole));
    await notifyWaitingJobs(task);
    await recordTaskEnd(task);
    await tellCallback(whole);
    await tellFollowers(whole);
  }
  await dispatchTasks(task.owner);
  await tryWrite(table().write(closeTask(task)));
}

/** A task that was cancelled while it was paused has no run that would have noted how its stage ended. */
async function withStagesEnded(whole: WholeTask): Promise<WholeTask> {
  const { owner, taskId, status } = whole.task;
  const { endings } = decide(stageStates(whole), status);
  if (endings.length === 0) return whole;
  for (const ending of endings) await endStage(whole, ending.stage, ending.status);
  return (await findWholeTask(owner.id, taskId)) ?? whole;
}

/** Reports the end of a task to the callback that the older API got, if any (contract I 10.7). May be repeated. */
async function tellCallback(whole: WholeTask): Promise<void> {
  const { legacy, recordId, owner, taskId, attempt, status, error } = whole.task;
  if (legacy?.callback === undefined) return;
  const { url, secret, vars }: LegacyCallbackSettings = JSON.parse(
    await unseal(legacy.callback, callbackOwner(recordId)),
  );
  const about = {
    ...{ taskRecordId: recordId, attempt, taskId, baseUrl: config().SLIPWAY_CONSOLE_ADDRESS },
    ...{ projectKey: owner.projectKey, workflowKey: owner.key },
  };
  await sendCallback(about, {
    ...{ callbackUrl: url, callbackVars: vars, secret, status: legacyStatus(status) },
    ...{ taskId, workflowName: owner.key, error, images: builtImages(whole) },
  });
}

/**
 * Sets going what follows a workflow, when one of its tasks has ended. May be repeated: the end of each attempt counts
 * once.
 */
async function tellFollowers({ task, plan }: WholeTask): Promise<void> {
  const { owner, taskId, status, attempt, creator, remark } = task;
  const ending = followedEndings.find((one) => one === status);
  if (owner.kind !== "workflow" || ending === undefined) return;
  const triggers = (await triggersAfter(owner.id)).filter(({ endings }) => endings.includes(ending));
  if (triggers.length === 0) return;
  const parameters = Object.fromEntries(plan.params.map(({ name, value }) => [name, value]));
  const { deliveryId, deliveries } = await acceptHookDeliveries({
    ...{ triggers, event: status, source: `workflow#${owner.id}`, sourceId: `${taskId}-${attempt}` },
    payload: {
      trigger: {
        ...{ event: status, workflow: owner.key, project: owner.projectKey },
        ...{ task_id: String(taskId), status, creator: creator.name },
      },
      body: { remark, parameters },
    },
  });
  log.info("workflows follow", { workflow: owner.key, taskId, status, count: deliveries.length });
  for (const { workflowId, kind, trigger } of deliveries)
    await notifyStarter({ workflowId, deliveryId, kind, trigger });
}
