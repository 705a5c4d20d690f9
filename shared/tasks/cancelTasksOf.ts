import { openTasks } from "../store/tasks/findTasks.ts";
import { cancelTask } from "./cancelTask.ts";

/** Ends an owner's tasks. Whoever deletes owners is given it by whoever may start tasks. */
export type CancelTasks = (ownerId: string) => Promise<void>;

/** Who ends the tasks of an owner that is deleted (contract W 2.11). */
const revoker = "system";

/** Before an owner goes: everything of it that waits, runs or is paused ends (contract W 2.11); may be repeated. */
export const cancelTasksOf: CancelTasks = async (ownerId) => {
  for (const task of await openTasks(ownerId)) await cancelTask(task, revoker);
};
