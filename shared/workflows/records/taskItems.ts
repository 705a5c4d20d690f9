import { dues, keys, lists, padded } from "../../base/store/keys/keys.ts";
import { create, type Write } from "../../base/store/writes.ts";
import type { StoredPlan, Task, TaskOwner, TaskSnapshot } from "./task.ts";

/** What the list of tasks shows of one. */
export interface TaskSummary
  extends Pick<Task, "taskId" | "status" | "createTime" | "startTime" | "endTime" | "remark"> {
  creator: string;
}

export type TaskName = Pick<Task, "taskId"> & { owner: Pick<TaskOwner, "id"> };

export function taskKeyOf({ owner, taskId }: TaskName) {
  return keys.task(owner.id, taskId);
}

/** A new task, open for the reconciler until it is concluded. */
export function createTaskItem(task: Task): Write {
  const { owner, taskId } = task;
  return create({
    ...taskKeyOf(task),
    type: "task",
    ...task,
    listPk: lists.tasks(owner.id),
    listSk: padded(taskId),
    summary: summaryOf(task),
    ...duePlace(task),
  });
}

/** Where the reconciler finds a task that is not concluded. */
export function duePlace({ owner, taskId }: TaskName): { duePk: string; dueSk: string } {
  return { duePk: dues.tasks, dueSk: `${owner.id}#${padded(taskId)}` };
}

export function planItem({ owner, taskId }: TaskName, stored: StoredPlan) {
  return { ...stored, ...keys.taskPlan(owner.id, taskId), type: "task-plan" };
}

export function snapshotItem({ owner, taskId }: TaskName, snapshot: TaskSnapshot) {
  return { ...snapshot, ...keys.taskSnapshot(owner.id, taskId), type: "task-snapshot" };
}

export function summaryOf(task: Task): TaskSummary {
  const { taskId, status, createTime, startTime, endTime, remark, creator } = task;
  return { taskId, status, createTime, startTime, endTime, remark, creator: creator.name };
}
