import { mustExist } from "../../shared/base/store/conditions.ts";
import { newId } from "../../shared/base/store/ids.ts";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { queueKeys } from "../../shared/base/store/keys/queueKeys.ts";
import { table } from "../../shared/base/store/table.ts";
import { update } from "../../shared/base/store/writes.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { queueItem } from "../../shared/workflows/records/queue.ts";
import type { Task } from "../../shared/workflows/records/task.ts";
import { createTaskItem, planItem } from "../../shared/workflows/records/taskItems.ts";
import { batchWrite } from "./batchWrite.ts";

/** Puts so many copies of a waiting task behind it, each in the queue where it waits, as if they had been started. */
export async function lengthenQueue(ownerId: string, taskId: number, count: number): Promise<void> {
  const first = await findWholeTask(ownerId, taskId);
  if (first?.task.status !== "waiting") throw new Error("there is no waiting task to copy");
  const { owner, position } = first.task;
  const isOwn = (await table().get(queueKeys.own(position, ownerId, taskId))) !== undefined;
  const plan = { plan: { inline: JSON.stringify(first.plan) } };
  const items = Array.from({ length: count }, (_, at) => {
    const task: Task = { ...first.task, taskId: taskId + at + 1, recordId: newId(), position: position + at + 1 };
    const place = { position: task.position, owner, taskId: task.taskId };
    return [
      itemOf(task),
      { ...planItem(task, plan), version: 1 },
      { ...queueItem(place, isOwn ? "own" : "waiting"), version: 1 },
    ];
  }).flat();
  await batchWrite(items.length, (at) => items[at] ?? {});
  const set = { last: taskId + count, position: position + count };
  const add = isOwn ? { queued: count } : {};
  await table().write(update(keys.taskHead(owner.key), { set, add }, mustExist));
}

function itemOf(task: Task): Record<string, unknown> {
  const created = createTaskItem(task);
  if (created.kind !== "put") throw new Error("a task is created by something else than a put");
  // The task that is copied brings the place of its own.
  const { pk: _pk, sk: _sk, ...rest } = task as Task & { pk?: string; sk?: string };
  return { ...rest, ...created.item, ...keys.task(task.owner.id, task.taskId), version: 1 };
}
