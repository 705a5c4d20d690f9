import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { findWholeTask, type WholeTask } from "./findTasks.ts";
import { placeholderPaths } from "./rules/variables.ts";
import { readStoredPlan } from "./storedPlan.ts";
import type { JobPlan, JobRecord, StageRecord, StoredPlan, Task } from "./task.ts";

/** A task as a step of one of its jobs reads it: of a large one some jobs have no record here. */
export interface JobScope extends WholeTask {
  lacksJobs?: true;
}

/** Records that are read in one go, the task and its plan first. Most tasks have fewer, and are read whole at the same cost. */
const mostRecords = 40;

/**
 * A task with its plan and the record of one job, for what that job's steps do: the same two or three units however many jobs
 * the task has. One query, and one read more where it has many; consistent.
 */
export async function findJobScope(ownerId: string, taskId: number, job: string): Promise<JobScope | undefined> {
  const { pk } = keys.task(ownerId, taskId);
  const items = await table().query<object>({ pk, descending: true, limit: mostRecords });
  const ofType = <T>(type: string) => items.filter((item) => item.type === type) as Item<T>[];
  const [task] = ofType<Task>("task");
  const [stored] = ofType<StoredPlan>("task-plan");
  if (task === undefined) return undefined;
  // So many stages that the plan lies behind them.
  if (stored === undefined) return items.length < mostRecords ? undefined : findWholeTask(ownerId, taskId);
  const plan = await readStoredPlan(stored.plan);
  const read = { task, plan, stages: ofType<StageRecord>("task-stage"), jobs: ofType<JobRecord>("task-job") };
  return items.length < mostRecords ? read : withJobs({ ...read, lacksJobs: true }, [job]);
}

/** The same with the records of these jobs as well, as far as they have one. */
export async function withJobs(scope: JobScope, names: readonly string[]): Promise<JobScope> {
  const { task, jobs, lacksJobs } = scope;
  const missing = [...new Set(names)].filter((name) => !jobs.some((job) => job.name === name));
  if (!lacksJobs || missing.length === 0) return scope;
  const found = await table().getMany<JobRecord>(missing.map((name) => keys.taskJob(task.owner.id, task.taskId, name)));
  return { ...scope, jobs: [...jobs, ...found] };
}

/** The same with the records of all jobs. */
export async function withAllJobs(scope: JobScope): Promise<WholeTask> {
  if (!scope.lacksJobs) return scope;
  const whole = await findWholeTask(scope.task.owner.id, scope.task.taskId);
  return whole === undefined ? scope : { ...whole, task: scope.task };
}

/** The same with the jobs whose outputs or ends the texts of a plan name, so that its variables can be replaced. */
export function withNamedJobs(scope: JobScope, { run, spec, executePolicy }: JobPlan): Promise<JobScope> {
  const { plan, lacksJobs } = scope;
  if (!lacksJobs) return Promise.resolve(scope);
  const late = (plan.lateVariables ?? []).map(([, value]) => value);
  const paths = placeholderPaths([run, spec, executePolicy, late]).join("\n");
  const named = plan.stages.flatMap(({ jobs }) => jobs).filter(({ key }) => paths.includes(`job.${key}.`));
  return withJobs(
    scope,
    named.map(({ name }) => name),
  );
}

/** The same with the job that runs right before this one; alike where they run beside each other. */
export function withJobBefore(scope: JobScope, job: Pick<JobRecord, "name" | "stage">): Promise<JobScope> {
  const before = jobBefore(scope, job);
  return before === undefined ? Promise.resolve(scope) : withJobs(scope, [before.name]);
}

/** What runs right before a job in a stage whose jobs follow each other; undefined for the first one, and in parallel ones. */
export function jobBefore(
  { plan }: WholeTask,
  { name, stage }: Pick<JobRecord, "name" | "stage">,
): JobPlan | undefined {
  const planned = plan.stages[stage];
  if (planned === undefined || planned.parallel) return undefined;
  return planned.jobs[planned.jobs.findIndex((one) => one.name === name) - 1];
}
