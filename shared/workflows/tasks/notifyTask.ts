import { log } from "../../base/settings/log.ts";
import { announce } from "../../integrations/notify/announce.ts";
import { endEvents, type NoticeEvent, noticeEvents } from "../../integrations/notify/rules/firingCtls.ts";
import { mapTokens } from "../../integrations/notify/rules/mapTokens.ts";
import { notificationRenderer } from "../jobs/notificationRenderer.ts";
import { findTask, findWholeTask, type WholeTask } from "../records/findTasks.ts";
import { renderLate } from "../records/rules/variables.ts";
import type { Task } from "../records/task.ts";
import { openDefinition } from "../saved/credentials.ts";
import { findWorkflow, type VersionedWorkflow } from "../saved/store/workflows.ts";
import { readSecretVariables } from "./start/secretVariables.ts";
import { taskNotice } from "./taskNotice.ts";

/**
 * Sends the notifications about a task (contract W 15.2); never fails, and may be repeated.
 * @param read the task with all of its records as they are now, where the caller has them
 */
export function notifyOfTask(task: Task, read?: WholeTask): Promise<void> {
  const event = eventOfTask(task);
  if (event === undefined) return Promise.resolve();
  const tell = async (whole: WholeTask): Promise<void> => {
    const isEnd = endEvents.some((end) => end === event);
    const isAsked = isEnd && task.taskId > 1 && whole.plan.notifyCtls.length > 0;
    const before = isAsked ? await findTask(task.owner.id, task.taskId - 1) : undefined;
    const pending = event === "pause" ? pausedAt(whole) : undefined;
    await announce({
      notice: () => taskNotice(whole, { pendingStage: pending?.name ?? "" }),
      ...{ event, level: "task" },
      ctls: await opened(whole, whole.plan.notifyCtls),
      alsoTo: executorsOf(pending?.manualExec?.stated),
      statusBefore: before?.status,
      render: notificationRenderer(whole),
    });
  };
  return told(task, event, tell, read);
}

/** A cancelled task that still ends its jobs is reported when they have ended (contract W 2.6). */
export function eventOfTask({ status, holdsSlot }: Task): NoticeEvent | undefined {
  if (status === "waiting") return "created";
  if (status === "pause") return "pause";
  return holdsSlot ? undefined : endEvents.find((end) => end === status);
}

function pausedAt({ plan, stages, task }: WholeTask) {
  const paused = stages.find(({ status, retryNum }) => status === "pause" && retryNum === task.retryNum);
  return paused === undefined ? undefined : plan.stages[paused.stage];
}

/** Who executes a stage by hand gets a message of their own (contract W 15.2). */
function executorsOf(stated: Record<string, unknown> | undefined): object[] {
  const config = stated?.lark_person_notification_config ?? undefined;
  if (config === undefined) return [];
  return [{ enabled: true, webhook_type: "feishu_person", notify_type: [], lark_person_notification_config: config }];
}

/**
 * Reports that a stage or an approval job began to wait, by the current settings of the workflow and not by the task's
 * copy (contract W 8.6, 15.1).
 */
export function notifyOfApproval(task: Task, waits: { stageName: string; jobName: string }): Promise<void> {
  const event = "wait_for_approval";
  return told(task, event, async (whole) => {
    const workflow = await findWorkflow(task.owner.key);
    if (workflow === undefined || workflow.workflowId !== task.owner.id) return;
    const { stageName, jobName } = waits;
    await announce({
      notice: () => taskNotice(whole, { pendingStage: stageName }),
      ...{ event, level: "task" },
      place: jobName === "" ? `stage ${stageName}` : `job ${jobName}`,
      ctls: await currentCtls(workflow),
      render: notificationRenderer(whole),
    });
  });
}

/** Reports by a job's own settings that it started, waits or ended (contract W 15.2). */
export function notifyOfJob(task: Task, job: { name: string; status: string }): Promise<void> {
  const event = noticeEvents.find((one) => one === job.status);
  if (event === undefined) return Promise.resolve();
  return told(task, event, async (whole) => {
    const plan = whole.plan.stages.flatMap(({ jobs }) => jobs).find(({ name }) => name === job.name);
    if (plan === undefined) return;
    await announce({
      notice: () => taskNotice(whole, { job: job.name }),
      ...{ event, level: "job" },
      ctls: await opened(whole, plan.notifyCtls),
      render: notificationRenderer(whole),
    });
  });
}

/** A notification never changes a task (contract W 15.1). */
async function told(
  task: Task,
  event: NoticeEvent,
  tell: (whole: WholeTask) => Promise<void>,
  read?: WholeTask,
): Promise<void> {
  const { owner, taskId } = task;
  try {
    const whole = read ?? (await findWholeTask(owner.id, taskId));
    if (whole !== undefined) await tell({ ...whole, task: { ...whole.task, ...task } });
  } catch (error) {
    log.error("notification not told", { workflow: owner.key, taskId, event, internal: String(error) });
  }
}

/** The settings that the workflow has now, with its credentials in place: in memory only. */
async function currentCtls(workflow: VersionedWorkflow): Promise<readonly unknown[]> {
  return workflow.definition.notify_ctls.length === 0 ? [] : (await openDefinition(workflow)).notify_ctls;
}

/** Settings with their tokens in place: in memory only. */
async function opened(whole: WholeTask, ctls: readonly unknown[]): Promise<unknown[]> {
  if (ctls.length === 0) return [];
  const secrets = await readSecretVariables(whole);
  return ctls.map((ctl) => mapTokens(ctl, (token) => renderLate(token, secrets)));
}
