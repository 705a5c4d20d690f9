import { findUser, findUsers } from "../../access/identity/store/users.ts";
import { config } from "../../base/settings/config.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { JobNotice, TaskNotice } from "../../integrations/notify/rules/taskNotice.ts";
import type { Tree } from "../../manifest/tree.ts";
import { findProject } from "../../projects/store/projects.ts";
import { jobKindOf } from "../definition/jobKinds.ts";
import { jobOf, stageOf } from "../records/currentState.ts";
import type { WholeTask } from "../records/findTasks.ts";
import type { JobPlan, JobRecord, Task } from "../records/task.ts";
import { shownSpecs } from "./start/shownSpecs.ts";

/**
 * What messages say about a task as it is now; in English and in UTC, as nothing else is set (contract W 18).
 * @param about the stage that waits, and the one job that a notice may be about
 */
export async function taskNotice(
  whole: WholeTask,
  about: { pendingStage?: string; job?: string } = {},
): Promise<TaskNotice> {
  const { task, plan } = whole;
  const { owner, creator } = task;
  const [project, user, executors] = await Promise.all([
    findProject(owner.projectKey),
    findUser(creator.uid),
    findUsers(executorsOf(whole, about.pendingStage)),
  ]);
  const planned = plan.stages.flatMap(({ jobs }) => jobs).find(({ name }) => name === about.job);
  const specOf = shownSpecs(whole);
  const noticeOf = (job: JobPlan) => jobNotice(job, jobOf(whole, job.name), specOf(job));
  return {
    taskRecordId: task.recordId,
    attempt: runOf(whole),
    workflow: { id: owner.id, key: owner.key, displayName: owner.name },
    project: { key: owner.projectKey, displayName: project?.name ?? owner.projectKey },
    taskId: task.taskId,
    taskType: owner.kind,
    ...(task.releasePlan && { releasePlan: releasePlanOf(task.releasePlan) }),
    ...{ status: task.status, remark: task.remark, error: task.error },
    creator: { id: creator.uid, name: creator.name, email: user?.email ?? "" },
    ...{ createTime: task.createTime, startTime: task.startTime, endTime: task.endTime },
    stages: plan.stages.map(({ name, jobs }, index) => {
      const { status = "", startTime = 0, endTime = 0, error = "" } = stageOf(whole, index) ?? {};
      return { name, status, startTime, endTime, error, jobs: jobs.map(noticeOf) };
    }),
    pendingStage: about.pendingStage ?? "",
    stageExecutors: executors.map(({ email }) => email.trim()),
    ...(planned !== undefined && { job: noticeOf(planned) }),
    time: nowSeconds(),
    baseUrl: config().SLIPWAY_CONSOLE_ADDRESS,
    language: "en",
    timeZone: "UTC",
  };
}

function releasePlanOf({ planId: id, name, index }: NonNullable<Task["releasePlan"]>) {
  return { id, name, index };
}

/** Whom `is_stage_executor` means; the contract names it without a meaning (contract W 2.4). */
function executorsOf({ plan, stages }: WholeTask, pendingStage: string | undefined): string[] {
  const pending = plan.stages.find(({ name }) => name === pendingStage);
  if (pending !== undefined) return pending.manualExec?.executorIds ?? [];
  return stages.flatMap(({ executedBy }) => executedBy?.uid ?? []);
}

/** Rises with every execution and with every retry, so that no event of a task happens twice within one. */
function runOf({ task }: WholeTask): number {
  return task.attempt + task.retryNum;
}

/** What messages say about a job of a task, of its shown spec (contract W 4.3, 4.4). */
function jobNotice(plan: JobPlan, record: JobRecord | undefined, spec: Tree): JobNotice {
  const { status = "", startTime = 0, endTime = 0, error = "", outputs = {} } = record ?? {};
  const { name, displayName, type } = plan;
  const kind = jobKindOf(type);
  const said = kind?.notice?.(spec, outputs) ?? { kind: "other" as const };
  const words = kind === undefined ? {} : { words: kind.words };
  return { name, displayName, type, ...words, status, startTime, endTime, error, spec: said };
}
