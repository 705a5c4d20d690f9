import { removeObjectsBelow } from "../../base/aws/objects/removeObjects.ts";
import { qualityKey } from "../../base/common/ownerKey.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { listEnvironments } from "../../environments/store/environments.ts";
import { removeVersions, versionsByService } from "../../environments/store/environmentVersions.ts";
import { keptSince, newestKept, type Retention, replacedBefore } from "../../projects/rules/retention.ts";
import { dueRetentions, recordSweep, type StoredRetention } from "../../projects/store/retentions.ts";
import { scans } from "../../workflows/jobDefinitions/store/scans.ts";
import { tests } from "../../workflows/jobDefinitions/store/tests.ts";
import { jobLogPrefix } from "../../workflows/pods/names.ts";
import { firstTasks } from "../../workflows/records/findTasks.ts";
import { isTaskFinal } from "../../workflows/records/rules/status.ts";
import { findHeads, type TaskHead } from "../../workflows/records/taskHeads.ts";
import type { TaskSummary } from "../../workflows/records/taskItems.ts";
import { listWorkflows } from "../../workflows/saved/store/workflows.ts";
import { recordLogsGone, removeTask } from "./removeTask.ts";

/** Of the five minutes that a run of the reconciler may take; the rest is removed by the next one. */
const millisecondsForSweeps = 60_000;

/** What one sweep removed so far, and until when it may go on. */
interface Sweep {
  deadline: number;
  tasks: number;
  logs: number;
  versions: number;
}

/** Removes what projects no longer keep, once a day each (docs/contract/decisions 18.7); may be done twice. */
export async function sweepProjects(): Promise<void> {
  const deadline = Date.now() + millisecondsForSweeps;
  for (const retention of await dueRetentions()) if (Date.now() < deadline) await sweepProject(retention, deadline);
}

async function sweepProject(retention: Item<StoredRetention>, deadline: number): Promise<void> {
  const { projectKey } = retention;
  const sweep: Sweep = { deadline, tasks: 0, logs: 0, versions: 0 };
  for (const head of await headsIn(projectKey)) {
    await sweepLogs(head, retention, sweep);
    await sweepTasks(head, retention, sweep);
  }
  await sweepVersions(retention, sweep);
  const { tasks, logs, versions } = sweep;
  if (tasks + logs + versions > 0) log.info("project swept", { projectKey, tasks, logs, versions });
  await recordSweep(retention, { tasks, logs, versions, isDone: Date.now() < deadline });
}

async function headsIn(projectKey: string): Promise<TaskHead[]> {
  const [workflows, testNames, scanNames] = await Promise.all([
    listWorkflows(projectKey),
    tests.list(projectKey),
    scans.list(projectKey),
  ]);
  return findHeads([
    ...workflows.map(({ key }) => key),
    ...testNames.map(({ name }) => qualityKey("test", projectKey, name)),
    ...scanNames.map(({ name }) => qualityKey("scan", projectKey, name)),
  ]);
}

async function sweepVersions({ projectKey, versionDays }: StoredRetention, sweep: Sweep): Promise<void> {
  const before = keptSince(versionDays, nowSeconds());
  if (before === undefined) return;
  for (const { envKey } of await listEnvironments(projectKey)) {
    if (Date.now() >= sweep.deadline) return;
    for (const [service, versions] of await versionsByService(projectKey, envKey)) {
      const gone = replacedBefore(versions, before).map(({ revision }) => revision);
      await removeVersions({ projectKey, envKey, service }, gone);
      sweep.versions += gone.length;
    }
  }
}

async function sweepTasks(head: TaskHead, { taskDays }: Retention, sweep: Sweep): Promise<void> {
  const before = keptSince(taskDays, nowSeconds());
  if (before === undefined) return;
  for await (const task of agedTasks(head, 1, before, sweep))
    if (hasEndedBefore(task, before) && (await removeTask(head, task.taskId))) sweep.tasks += 1;
}

/** Logs go in the order of their tasks, so that a number says which are gone; one that is still to end stops it. */
async function sweepLogs(head: TaskHead, { logDays }: Retention, sweep: Sweep): Promise<void> {
  const before = keptSince(logDays, nowSeconds());
  if (before === undefined) return;
  let below = head.logsGoneBelow ?? 1;
  for await (const task of agedTasks(head, below, before, sweep)) {
    if (!hasEndedBefore(task, before)) break;
    sweep.logs += await removeObjectsBelow(jobLogPrefix({ workflowKey: head.owner.key, taskId: task.taskId }));
    below = task.taskId + 1;
  }
  if (below > (head.logsGoneBelow ?? 1)) await recordLogsGone(head, below);
}

/** Tasks that were created before a time, oldest first, but for the newest ones; as long as the sweep may go on. */
async function* agedTasks(
  head: TaskHead,
  first: number,
  before: number,
  { deadline }: Sweep,
): AsyncGenerator<TaskSummary> {
  const last = head.last - newestKept;
  for (let from = first; from <= last; ) {
    const page = await firstTasks(head.ownerId, from, last);
    for (const task of page) {
      if (task.createTime >= before || Date.now() >= deadline) return;
      yield task;
    }
    const end = page.at(-1);
    if (end === undefined) return;
    from = end.taskId + 1;
  }
}

function hasEndedBefore({ status, endTime }: TaskSummary, before: number): boolean {
  return isTaskFinal(status) && endTime > 0 && endTime < before;
}
