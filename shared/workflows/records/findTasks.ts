import { dues, keys, lists, padded } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { readStoredPlan } from "./storedPlan.ts";
import type { JobRecord, StageRecord, StoredPlan, Task, TaskPlan, TaskSnapshot } from "./task.ts";
import type { TaskHead } from "./taskHeads.ts";
import type { TaskSummary } from "./taskItems.ts";

/** A task with its plan and the records of its stages and jobs, those of runs before the last retry among them. */
export interface WholeTask {
  task: Task;
  plan: TaskPlan;
  stages: Item<StageRecord>[];
  jobs: Item<JobRecord>[];
}

export function findTask(ownerId: string, taskId: number): Promise<Item<Task> | undefined> {
  return table().get<Task>(keys.task(ownerId, taskId));
}

/** Those of the tasks that exist, as they were a moment ago, in one round trip for a hundred. */
export function readTaskRecords(tasks: readonly TaskId[]): Promise<Item<Task>[]> {
  const wanted = tasks.map(({ ownerId, taskId }) => keys.task(ownerId, taskId));
  return table().getMany<Task>(wanted, { consistent: false });
}

/** One query, and one read of the object store where the plan is large; consistent. */
export async function findWholeTask(ownerId: string, taskId: number): Promise<WholeTask | undefined> {
  const { pk } = keys.task(ownerId, taskId);
  const items = await table().query<object>({ pk });
  const ofType = <T>(type: string) => items.filter((item) => item.type === type) as Item<T>[];
  const [task] = ofType<Task>("task");
  const [stored] = ofType<StoredPlan>("task-plan");
  if (task === undefined || stored === undefined) return undefined;
  const plan = await readStoredPlan(stored.plan);
  return { task, plan, stages: ofType<StageRecord>("task-stage"), jobs: ofType<JobRecord>("task-job") };
}

/** What the task was started with. */
export function findSnapshot(ownerId: string, taskId: number): Promise<TaskSnapshot | undefined> {
  return table().get<TaskSnapshot>(keys.taskSnapshot(ownerId, taskId));
}

export function findJob(ownerId: string, taskId: number, name: string): Promise<Item<JobRecord> | undefined> {
  return table().get<JobRecord>(keys.taskJob(ownerId, taskId, name));
}

/** What is different after any change of a task's jobs: half a unit for each 4 KB of them, as they were a moment ago. */
export async function jobVersions(ownerId: string, taskId: number): Promise<string> {
  const { pk, sk: prefix } = keys.taskJob(ownerId, taskId, "");
  const jobs = await table().query<object>({ pk, prefix, consistent: false });
  return jobs.map(({ sk, version }) => `${sk}@${version}`).join();
}

/** Tasks of an owner whose numbers lie in a range, both ends included, newest first. */
export async function tasksBetween(ownerId: string, first: number, last: number): Promise<TaskSummary[]> {
  const between = [padded(first), padded(last)] as const;
  const options = { index: "list", pk: lists.tasks(ownerId), between, descending: true } as const;
  const items = await table().query<{ summary: TaskSummary }>(options);
  return items.map(({ summary }) => summary);
}

/** The first hundred tasks of an owner whose numbers lie in a range, both ends included, oldest first. */
export async function firstTasks(ownerId: string, first: number, last: number): Promise<TaskSummary[]> {
  const between = [padded(first), padded(last)] as const;
  const options = { index: "list", pk: lists.tasks(ownerId), between, limit: 100 } as const;
  const items = await table().query<{ summary: TaskSummary }>(options);
  return items.map(({ summary }) => summary);
}

/**
 * A page of an owner's tasks, newest first: found by their numbers, so that any page costs the same. Of numbers below
 * which some are gone the page reads the few that stayed.
 */
export async function pageOfTasks(
  { ownerId, last, gone = 0, goneBelow = 1 }: TaskHead,
  page: number,
  size: number,
): Promise<{ total: number; tasks: TaskSummary[] }> {
  const total = last - gone;
  const passed = (page - 1) * size;
  const whole = last - goneBelow + 1;
  const upper = last - passed;
  if (upper < 1) return { total, tasks: [] };
  if (passed + size <= whole || gone === 0)
    return { total, tasks: await tasksBetween(ownerId, Math.max(upper - size + 1, 1), upper) };
  const tasks = upper >= goneBelow ? await tasksBetween(ownerId, goneBelow, upper) : [];
  const skip = Math.max(0, passed - whole);
  const between = [padded(1), padded(goneBelow - 1)] as const;
  const limit = skip + size - tasks.length;
  const options = { index: "list", pk: lists.tasks(ownerId), between, descending: true, limit } as const;
  const rest = await table().query<{ summary: TaskSummary }>(options);
  return { total, tasks: [...tasks, ...rest.slice(skip).map(({ summary }) => summary)] };
}

export interface TaskId {
  ownerId: string;
  taskId: number;
}

/** Every task that is not concluded; of one owner, or of all. */
export async function openTasks(ownerId?: string): Promise<TaskId[]> {
  const prefix = ownerId === undefined ? {} : { prefix: `${ownerId}#` };
  const items = await table().query<object>({ index: "due", pk: dues.tasks, ...prefix });
  return items.map(({ pk }) => {
    const [, owner = "", taskId = ""] = pk.split("#");
    return { ownerId: owner, taskId: Number(taskId) };
  });
}
