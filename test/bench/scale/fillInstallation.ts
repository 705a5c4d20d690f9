import { config } from "../../../shared/base/settings/config.ts";
import { mustExist } from "../../../shared/base/store/conditions.ts";
import { newId } from "../../../shared/base/store/ids.ts";
import { keys } from "../../../shared/base/store/keys/keys.ts";
import { queueKeys } from "../../../shared/base/store/keys/queueKeys.ts";
import { table } from "../../../shared/base/store/table.ts";
import { update } from "../../../shared/base/store/writes.ts";
import { findWholeTask } from "../../../shared/workflows/records/findTasks.ts";
import { slotShards } from "../../../shared/workflows/records/rules/slots.ts";
import type { JobRecord, Task } from "../../../shared/workflows/records/task.ts";
import { createTaskItem, planItem } from "../../../shared/workflows/records/taskItems.ts";
import { jobExecutionName } from "../../../shared/workflows/tasks/runJob.ts";
import { taskExecutionName } from "../../../shared/workflows/tasks/taskExecution.ts";
import { batchWrite } from "../../harness/batchWrite.ts";
import { type RawItem, rawItems } from "../../harness/rawItems.ts";
import type { Slipway } from "../../harness/slipway.ts";

/** Copies every item that names a service or an environment, so many times, each under a name of its own. */
export async function copyItems(name: string, count: number): Promise<void> {
  const named = new RegExp(`(?<![a-z0-9-])${name}(?![a-z0-9-])`, "g");
  const items = (await rawItems.all()).filter(({ pk }) => /^(service|environment)#/.test(pk) && named.test(pk));
  const copies = (at: number): RawItem[] =>
    items.map((item) => JSON.parse(JSON.stringify(item).replace(named, `${name}-${at}`)));
  for (let from = 0; from < count; from += 100) {
    const some = Array.from({ length: Math.min(100, count - from) }, (_, at) => copies(from + at)).flat();
    await batchWrite(some.length, (at) => some[at] ?? {});
  }
}

/** Puts so many copies of a running task behind it, with their slots and with executions that run. */
export async function addRunning(slipway: Slipway, ownerId: string, taskId: number, count: number): Promise<void> {
  const first = await findWholeTask(ownerId, taskId);
  if (first?.task.status !== "running") throw new Error("there is no running task to copy");
  const { owner } = first.task;
  const plan = { plan: { inline: JSON.stringify(first.plan) } };
  const { executions } = slipway.runtime.aws;
  const { SLIPWAY_WORKFLOW_TASK_ARN, SLIPWAY_JOB_ARN } = config();
  const items = Array.from({ length: count }, (_, at) => {
    const slot = at % slotShards;
    const task: Task = { ...first.task, taskId: taskId + at + 1, recordId: newId(), slot };
    const { pk } = keys.task(ownerId, task.taskId);
    const jobs = first.jobs.map((job): JobRecord => ({ ...job, jobId: newId(), startTime: job.startTime - 3600 }));
    executions.add(SLIPWAY_WORKFLOW_TASK_ARN, taskExecutionName(task), "{}", Date.now());
    for (const job of jobs) executions.add(SLIPWAY_JOB_ARN, jobExecutionName(job, job.attempt), "{}", Date.now());
    const created = createTaskItem(task);
    if (created.kind !== "put") throw new Error("a task is created by something else than a put");
    const records = [...first.stages, ...jobs].map((record) => ({ ...record, pk }));
    return [
      { ...created.item, ...keys.task(ownerId, task.taskId) },
      { ...planItem(task, plan), version: 1 },
      ...records,
    ];
  }).flat();
  await batchWrite(items.length, (at) => items[at] ?? {});
  const counted = Array.from({ length: slotShards }, (_, shard) => {
    const running = Math.floor((count + slotShards - 1 - shard) / slotShards);
    return update(queueKeys.slots(shard), { set: { type: "task-slots", shard }, add: { running } });
  });
  const head = update(keys.taskHead(owner.key), { set: { last: taskId + count }, add: { running: count } }, mustExist);
  await table().write(...counted, head);
}
