import { nowSeconds } from "../../store/ids.ts";
import { keys } from "../../store/keys.ts";
import { table } from "../../store/table.ts";
import { create, type Write } from "../../store/writes.ts";
import type { TaskId } from "./findTasks.ts";

const keptSeconds = 90 * 24 * 3600;

/** The task that a try of a job started in one place of its list: written with the task, so that it is started once. */
export function markTriggered(tryName: string, place: number, { ownerId, taskId }: TaskId): Write {
  const ttl = nowSeconds() + keptSeconds;
  return create({ ...keys.triggeredTask(tryName, place), type: "triggered-task", ownerId, taskId, ttl });
}

export async function findTriggered(tryName: string, place: number): Promise<TaskId | undefined> {
  const found = await table().get<TaskId>(keys.triggeredTask(tryName, place));
  return found && { ownerId: found.ownerId, taskId: found.taskId };
}
