import { removeObjectsBelow } from "../../base/aws/objects/removeObjects.ts";
import { absent, both, either, equals, mustBeOneOf, mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { dues, keys, padded } from "../../base/store/keys/keys.ts";
import { retentionKeys } from "../../base/store/keys/retentionKeys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { create, named, remove, update } from "../../base/store/writes.ts";
import { findPlan } from "../../releaseplans/records/plans.ts";
import { jobLogPrefix } from "../../workflows/pods/names.ts";
import { findTask } from "../../workflows/records/findTasks.ts";
import { isTaskFinal } from "../../workflows/records/rules/status.ts";
import { tryName } from "../../workflows/records/rules/tryName.ts";
import { taskFolder } from "../../workflows/records/storedPlan.ts";
import type { JobRecord, Task } from "../../workflows/records/task.ts";
import type { TaskHead } from "../../workflows/records/taskHeads.ts";

/** A task whose record is gone, while what belongs to it is taken away. */
interface TaskRemoval {
  ownerId: string;
  taskId: number;
  recordId: string;
  workflowKey: string;
}

/**
 * Removes a task that ended: its record first, in a transaction that fails when the task is retried at the same moment,
 * then what belongs to it. A crash in between leaves a removal that the reconciler finishes.
 * @param head as it is now; changed with what is gone
 * @returns false when it stays: it has not ended, a release plan has it, or another process was faster
 */
export async function removeTask(head: TaskHead, taskId: number): Promise<boolean> {
  const task = await findTask(head.ownerId, taskId);
  if (task === undefined || !isOver(task) || (await isReferredTo(task))) return false;
  const { ownerId, owner } = head;
  const goneBelow = Math.max(head.goneBelow ?? 0, taskId + 1);
  const asRead = head.goneBelow === undefined ? absent("goneBelow") : equals("goneBelow", head.goneBelow);
  const counted = update(
    keys.taskHead(owner.key),
    { set: { goneBelow }, add: { gone: 1 } },
    both(mustBeOneOf("ownerId", [ownerId]), asRead),
  );
  const removal: TaskRemoval = { ownerId, taskId, recordId: task.recordId, workflowKey: owner.key };
  const due = { duePk: dues.taskRemovals, dueSk: `${padded(nowSeconds())}#${task.recordId}` };
  const noted = create({ ...retentionKeys.taskRemoval(ownerId, taskId), type: "task-removal", ...removal, ...due });
  const gone = named("task", remove(keys.task(ownerId, taskId), mustHaveVersion(task.version)));
  if (!(await tryWrite(table().write(gone, counted, noted)))) return false;
  Object.assign(head, { goneBelow, gone: (head.gone ?? 0) + 1 });
  await finishTaskRemoval(removal);
  return true;
}

function isOver({ status, concluded, holdsSlot }: Task): boolean {
  return isTaskFinal(status) && concluded && !holdsSlot;
}

/** A release plan shows the task, retries it, and takes back what it deployed. */
async function isReferredTo({ releasePlan }: Task): Promise<boolean> {
  return releasePlan !== undefined && (await findPlan(releasePlan.planId)) !== undefined;
}

/** Takes away what is left of a removed task; may be repeated. */
export async function finishTaskRemoval({ ownerId, taskId, recordId, workflowKey }: TaskRemoval): Promise<void> {
  await removeObjectsBelow(jobLogPrefix({ workflowKey, taskId }));
  await removeObjectsBelow(`text/${taskFolder(recordId)}`);
  const items = await table().query<object>({ pk: keys.task(ownerId, taskId).pk });
  const jobs = items.filter(({ type }) => type === "task-job") as Item<JobRecord>[];
  const reports = jobs.flatMap(({ jobId, retryCount }) =>
    Array.from({ length: retryCount + 1 }, (_, count) => keys.testReport(tryName({ jobId, retryCount: count }))),
  );
  const secrets = [keys.taskSnapshot(ownerId, taskId), keys.taskSecrets(ownerId, taskId)];
  // Reports are found by the jobs, which go after them.
  for (const those of [[...reports, ...secrets], items.map(({ pk, sk }) => ({ pk, sk }))])
    for (let at = 0; at < those.length; at += mostAtOnce)
      await table().write(...those.slice(at, at + mostAtOnce).map((key) => remove(key)));
  await table().write(remove(retentionKeys.taskRemoval(ownerId, taskId)));
}

const mostAtOnce = 50;

/** Removed tasks of which something is left. */
export async function dueTaskRemovals(): Promise<Item<TaskRemoval>[]> {
  const due = await table().query<object>({ index: "due", pk: dues.taskRemovals });
  return table().getMany<TaskRemoval>(due.map(({ pk, sk }) => ({ pk, sk })));
}

/** Notes up to which task logs are gone. @returns false when another process was faster */
export function recordLogsGone({ ownerId, owner, logsGoneBelow }: TaskHead, below: number): Promise<boolean> {
  const asRead = logsGoneBelow === undefined ? absent("logsGoneBelow") : either(equals("logsGoneBelow", logsGoneBelow));
  const own = both(mustBeOneOf("ownerId", [ownerId]), asRead);
  return tryWrite(table().write(update(keys.taskHead(owner.key), { set: { logsGoneBelow: below } }, own)));
}
