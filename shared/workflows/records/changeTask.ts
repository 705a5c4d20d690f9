import { both, type Condition, mustBeOneOf } from "../../base/store/conditions.ts";
import { update, type Write } from "../../base/store/writes.ts";
import { type TaskEvent, taskStatusesAccepting } from "./rules/status.ts";
import type { Task } from "./task.ts";
import { summaryOf, taskKeyOf } from "./taskItems.ts";

type Change = Partial<Omit<Task, "owner" | "taskId" | "recordId">> & { duePk?: string; dueSk?: string };

/** The task with what changes; its place in the list follows. `accepted` names the statuses it may have before. */
export function changeTask(task: Task, set: Change, accepted: TaskEvent | Condition): Write {
  const condition = typeof accepted === "string" ? mustBeOneOf("status", taskStatusesAccepting(accepted)) : accepted;
  const summary = summaryOf({ ...task, ...set });
  return update(taskKeyOf(task), { set: { ...set, summary } }, condition);
}

/** The last change of a run: nothing of it is left for the reconciler. One that was queued again stays open. */
export function closeTask(task: Task): Write {
  return update(
    taskKeyOf(task),
    { set: { concluded: true }, unset: ["duePk", "dueSk"] },
    both(mustBeOneOf("position", [task.position]), mustBeOneOf("concluded", [false])),
  );
}
