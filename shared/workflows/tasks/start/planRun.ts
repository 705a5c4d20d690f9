import { ApiError } from "../../../base/errors/apiError.ts";
import { isServiceTrouble } from "../../../base/errors/serviceTrouble.ts";
import { both, mustBeOneOf } from "../../../base/store/conditions.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { overwrite, type Write } from "../../../base/store/writes.ts";
import { changeTask } from "../../records/changeTask.ts";
import { jobOf } from "../../records/currentState.ts";
import type { WholeTask } from "../../records/findTasks.ts";
import { storePlan } from "../../records/storedPlan.ts";
import type { JobPlan, TaskPlan } from "../../records/task.ts";
import { planItem } from "../../records/taskItems.ts";
import { replanTask } from "./replanTask.ts";
import { jobsOf, requireUnfrozen } from "./requireUnfrozen.ts";
import { addSecrets } from "./secretVariables.ts";

/**
 * Plans a run of a task with what it was started with; what its earlier runs ended stays as it was planned. Freezes do not
 * count where the task has a reason.
 * @param whole with the number of retries that the run has
 * @returns the writes that keep the plan and its credentials
 * @throws ApiError 404 when the project is being deleted; 6160 what cannot run; 409 for what would change frozen production
 */
export async function planRun(whole: WholeTask): Promise<Write[]> {
  const { task } = whole;
  const replanned = await replanTask(task);
  const { plan, again } = keepingEnded(whole, replanned.plan);
  await requireUnfrozen(task.owner.projectKey, again, task.overrideReason);
  const stored = { plan: await storePlan(task.recordId, plan) };
  return [overwrite(planItem(task, stored)), ...(await addSecrets(task, replanned.secrets))];
}

/**
 * Plans a large task, in its machine; may be repeated.
 * @returns whether it has a plan now, or was cancelled meanwhile; where it cannot run, its `error` says why
 */
export async function planLargeTask(whole: WholeTask): Promise<boolean> {
  const { task } = whole;
  const isSame = both(mustBeOneOf("attempt", [task.attempt]), mustBeOneOf("status", [task.status]));
  try {
    const writes = await planRun(whole);
    await tryWrite(table().write(changeTask(task, { unplanned: false }, isSame), ...writes));
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || isServiceTrouble(error)) throw error;
    return !(await tryWrite(table().write(changeTask(task, { error: error.description }, isSame))));
  }
}

/** Jobs that are kept stay as they were planned; the others run again. */
function keepingEnded(whole: WholeTask, fresh: TaskPlan): { plan: TaskPlan; again: JobPlan[] } {
  const runsAgain = ({ name }: JobPlan): boolean => jobOf(whole, name) === undefined;
  const before = new Map(whole.plan.stages.flatMap(({ jobs }) => jobs).map((job) => [job.name, job]));
  const stages = fresh.stages.map((stage) => ({
    ...stage,
    jobs: stage.jobs.map((job) => (runsAgain(job) ? job : (before.get(job.name) ?? job))),
  }));
  return { plan: { ...fresh, stages }, again: jobsOf(fresh).filter(runsAgain) };
}
