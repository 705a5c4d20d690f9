import { mustExist } from "../../shared/base/store/conditions.ts";
import { newId } from "../../shared/base/store/ids.ts";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { update } from "../../shared/base/store/writes.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import type { Task } from "../../shared/workflows/records/task.ts";
import { createTaskItem, planItem } from "../../shared/workflows/records/taskItems.ts";
import { batchWrite } from "./batchWrite.ts";

/** Fills a workflow's history up to so many tasks, each a copy of the first, which has ended, with all of its records. */
export async function addHistory(ownerId: string, size: number): Promise<void> {
  const first = await findWholeTask(ownerId, 1);
  if (first === undefined) throw new Error("there is no task to copy");
  const plan = { plan: { inline: JSON.stringify(first.plan) } };
  const itemsOf = (taskId: number): Record<string, unknown>[] => {
    const task: Task = { ...first.task, taskId, recordId: newId() };
    const created = createTaskItem(task);
    if (created.kind !== "put") throw new Error("a task is created by something else than a put");
    const { duePk: _duePk, dueSk: _dueSk, ...ended } = created.item;
    const key = keys.task(ownerId, taskId);
    const records = [...first.stages, ...first.jobs].map((record) => ({ ...record, pk: key.pk }));
    return [{ ...ended, ...key }, { ...planItem(task, plan), version: 1 }, ...records];
  };
  const items = Array.from({ length: Math.max(size - 1, 0) }, (_, at) => itemsOf(at + 2)).flat();
  await batchWrite(items.length, (at) => items[at] ?? {});
  await table().write(update(keys.taskHead(first.task.owner.key), { set: { last: Math.max(size, 1) } }, mustExist));
}
