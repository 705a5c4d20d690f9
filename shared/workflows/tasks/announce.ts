import { publishStatusChange, type StatusChange } from "../../base/aws/events/publishStatusChange.ts";
import { config } from "../../base/settings/config.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { type AboutTask, recordDeliveries } from "../../integrations/notify/recordDeliveries.ts";
import { type CommitStatus, commitStateOf } from "../../integrations/notify/rules/commitStatus.ts";
import { startNotifier } from "../../integrations/notify/startNotifier.ts";
import { taskUrl } from "../../integrations/notify/taskUrl.ts";
import type { WholeTask } from "../records/findTasks.ts";
import type { JobRecord, StageRecord, Task } from "../records/task.ts";
import { eventOfTask, notifyOfApproval, notifyOfJob, notifyOfTask } from "./notifyTask.ts";

type OfTask = { task: Task };
type OfPlan = Pick<WholeTask, "task" | "plan">;

/**
 * Reports that a task has another status than before; may be repeated.
 * @param read the task with all of its records as they are now, where the caller has them
 */
export async function announceTask({ task }: OfTask, from: string, read?: WholeTask): Promise<void> {
  log.info("task status changed", { workflow: task.owner.key, taskId: task.taskId, from, to: task.status });
  await publishStatusChange({ ...changeOf(task), level: "task", from, to: task.status });
  // The process that put it into the queue may have died before reporting that; a repeated report is not sent again.
  const told: Task = task.status === "running" ? { ...task, status: "waiting", attempt: task.attempt - 1 } : task;
  await notifyOfTask(told, read);
  await tellCommitOf(told);
}

export async function announceStage({ task, plan }: OfPlan, before: StageRecord, after: StageRecord): Promise<void> {
  const { stage, status: to } = after;
  const { status: from } = before;
  log.info("stage status changed", { workflow: task.owner.key, taskId: task.taskId, stage, from, to });
  const stageName = plan.stages[stage]?.name ?? "";
  await publishStatusChange({ ...changeOf(task), level: "stage", stageName, from, to });
  await sendStageNotices({ task, plan }, after);
}

/** Sends the messages about a stage; those that were sent already are not sent again. */
export async function sendStageNotices({ task, plan }: OfPlan, { stage, status }: StageRecord): Promise<void> {
  const stageName = plan.stages[stage]?.name ?? "";
  if (status === "wait_for_approval") await notifyOfApproval(task, { stageName, jobName: "" });
}

export async function announceJob({ task, plan }: OfPlan, before: JobRecord, after: JobRecord): Promise<void> {
  const { name: job, status: to } = after;
  const { status: from } = before;
  log.info("job status changed", { workflow: task.owner.key, taskId: task.taskId, job, from, to });
  await publishStatusChange({ ...changeOf(task), level: "job", jobName: job, from, to });
  await sendJobNotices({ task, plan }, after);
}

/** Sends the messages about a job; those that were sent already are not sent again. */
export async function sendJobNotices({ task, plan }: OfPlan, job: JobRecord): Promise<void> {
  const planned = plan.stages.flatMap(({ jobs }) => jobs).find(({ name }) => name === job.name);
  // Most jobs have no settings of their own, and cost nothing more.
  if (planned !== undefined && planned.notifyCtls.length > 0) await notifyOfJob(task, job);
  const stageName = plan.stages[job.stage]?.name ?? "";
  if (job.status === "wait_for_approval") await notifyOfApproval(task, { stageName, jobName: job.name });
}

function changeOf({ owner, taskId }: Task): Pick<StatusChange, "projectKey" | "workflowKey" | "taskId" | "time"> {
  return { projectKey: owner.projectKey, workflowKey: owner.key, taskId, time: nowSeconds() };
}

/** Shows the status of a task at the commit that started it; never fails, and may be repeated. */
async function tellCommitOf(task: Task): Promise<void> {
  const { commit, owner, taskId, recordId, retryNum } = task;
  const event = eventOfTask(task);
  if (commit === undefined || event === undefined) return;
  const said = commitStateOf(event, taskId);
  if (said === undefined) return;
  const baseUrl = config().SLIPWAY_CONSOLE_ADDRESS;
  const about = {
    ...{ taskRecordId: recordId, attempt: retryNum, taskId, baseUrl },
    ...{ projectKey: owner.projectKey, workflowKey: owner.key },
  };
  await tellCommit(about, { ...commit, ...said, link: baseUrl === "" ? "" : taskUrl(owner, taskId) }, event);
}

/**
 * Sets a status at the commit that started a task. Repeating it for one run of the task, its retries counted by
 * `about.attempt`, is no second call; it never fails, and changes no task.
 */
async function tellCommit(about: AboutTask, status: CommitStatus, event: string): Promise<void> {
  const { namespace, name, sha } = status;
  try {
    const refs = await recordDeliveries(
      [
        {
          type: "commit-status",
          target: `${namespace}/${name}@${sha}`,
          parts: [{ via: "commit-status", status }],
          secrets: {},
        },
      ],
      { about, jobName: "", event, index: -1, hookEvent: "" },
    );
    await startNotifier(refs);
  } catch (error) {
    log.error("status of a commit not recorded", { taskRecordId: about.taskRecordId, internal: String(error) });
  }
}
