import { wakeTellerOfTask } from "../../access/events/store/listeners.ts";
import { both, type Condition, mustBeFreeOrBefore, mustBeOneOf } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { type Update, update, type Write } from "../../base/store/writes.ts";
import { type JobStatus, openJobStatuses } from "./rules/status.ts";
import type { JobRecord, StageRecord } from "./task.ts";
import type { TaskName } from "./taskItems.ts";

/** Made now, or left by a run before the last retry. */
function notOfThisRun(retryNum: number): Condition {
  return mustBeFreeOrBefore("retryNum", retryNum);
}

/** Begins the records of jobs that have none in this run; those that have one stay. */
export async function startJobRecords({ owner, taskId }: TaskName, jobs: readonly JobRecord[]): Promise<void> {
  await Promise.all(
    jobs.map((job) =>
      tryWrite(
        table().write({
          kind: "put",
          item: { version: 1, ...job, ...keys.taskJob(owner.id, taskId, job.name), type: "task-job" },
          condition: notOfThisRun(job.retryNum),
        }),
      ),
    ),
  );
  if (jobs.length > 0) await wakeTellerOfTask(owner.id, taskId);
}

/** Begins the record of a stage in this run; what a run before left there, like an approval, no longer counts. */
export function startStageRecord({ owner, taskId }: TaskName, stage: StageRecord): Write {
  return {
    kind: "put",
    item: { version: 1, ...stage, ...keys.taskStage(owner.id, taskId, stage.stage), type: "task-stage" },
    condition: notOfThisRun(stage.retryNum),
  };
}

/** Changes a stage that has a record; what `set` does not name stays as others have left it meanwhile. */
export function changeStage(
  { owner, taskId }: TaskName,
  { stage, retryNum }: Pick<StageRecord, "stage" | "retryNum">,
  set: Partial<StageRecord>,
): Update {
  return update(keys.taskStage(owner.id, taskId, stage), { set }, mustBeOneOf("retryNum", [retryNum]));
}

interface JobChange {
  set?: Partial<JobRecord>;
  unset?: readonly (keyof JobRecord)[];
}

/** Changes a job of this run while its status is one of `from`. */
export function changeJob(
  { owner, taskId }: TaskName,
  job: Pick<JobRecord, "name" | "retryNum">,
  change: JobChange,
  from: readonly JobStatus[] = openJobStatuses,
): Update {
  const condition = both(mustBeOneOf("status", from), mustBeOneOf("retryNum", [job.retryNum]));
  const write = update(keys.taskJob(owner.id, taskId, job.name), change, condition);
  return isShown(change) ? { ...write, afterwards: () => wakeTellerOfTask(owner.id, taskId) } : write;
}

/** Whether a viewer of the task sees the difference. */
function isShown({ set = {} }: JobChange): boolean {
  return "status" in set || "approval" in set || "hold" in set || "result" in set;
}
