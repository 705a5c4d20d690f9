import { qualityKey } from "../../../shared/base/common/ownerKey.ts";
import { statisticKeys } from "../../../shared/base/store/keys/statisticKeys.ts";
import { table } from "../../../shared/base/store/table.ts";
import { conflictedOn } from "../../../shared/base/store/tableClient.ts";
import { overwrite } from "../../../shared/base/store/writes.ts";
import { listRollback, rollbacksOfProject } from "../../../shared/environments/store/rollbacks.ts";
import { allProjects } from "../../../shared/projects/store/projects.ts";
import { jobRowWrites } from "../../../shared/reports/statistics/store/jobRows.ts";
import { writeCounted } from "../../../shared/reports/statistics/store/writeCounted.ts";
import { scans } from "../../../shared/workflows/jobDefinitions/store/scans.ts";
import { tests } from "../../../shared/workflows/jobDefinitions/store/tests.ts";
import { planOf } from "../../../shared/workflows/records/currentState.ts";
import { findWholeTask, tasksBetween } from "../../../shared/workflows/records/findTasks.ts";
import { isJobFinal, isTaskFinal } from "../../../shared/workflows/records/rules/status.ts";
import { findHeads } from "../../../shared/workflows/records/taskHeads.ts";
import { listWorkflows } from "../../../shared/workflows/saved/store/workflows.ts";
import { recordReport, rowOf } from "../../../shared/workflows/tasks/end/countJob.ts";

interface Seed {
  isDone: boolean;
  /** Ids of the owners whose tasks are counted. */
  owners: string[];
}

/**
 * Counts the jobs that ended before statistics were kept: of every workflow, test and scan that exists. What is counted
 * has its row, so a job is never counted twice, even when this is repeated.
 * @param until milliseconds; what is left then is for the next call
 * @returns whether it had been done before, is done now, or is not done yet
 */
export async function seedStatistics(until: number): Promise<"before" | "now" | "not yet"> {
  const stored = await table().get<Seed>(statisticKeys.statisticsSeed());
  if (stored?.isDone) return "before";
  const done = new Set(stored?.owners);
  for (const { projectKey } of await allProjects()) {
    for (const rollback of await rollbacksOfProject(projectKey)) if (!rollback.listPk) await listRollback(rollback);
    for (const ownerId of await ownersIn(projectKey)) {
      if (done.has(ownerId)) continue;
      if (Date.now() > until) return "not yet";
      await seedOwner(ownerId);
      done.add(ownerId);
      await note({ isDone: false, owners: [...done] });
    }
  }
  await note({ isDone: true, owners: [] });
  return "now";
}

async function note(seed: Seed): Promise<void> {
  await table().write(overwrite({ ...statisticKeys.statisticsSeed(), type: "statistics-seed", ...seed }));
}

async function ownersIn(projectKey: string): Promise<string[]> {
  const [workflows, testNames, scanNames] = await Promise.all([
    listWorkflows(projectKey),
    tests.list(projectKey),
    scans.list(projectKey),
  ]);
  const heads = await findHeads([
    ...workflows.map(({ key }) => key),
    ...testNames.map(({ name }) => qualityKey("test", projectKey, name)),
    ...scanNames.map(({ name }) => qualityKey("scan", projectKey, name)),
  ]);
  return heads.map(({ ownerId }) => ownerId);
}

async function seedOwner(ownerId: string): Promise<void> {
  for (const { taskId, status } of await tasksBetween(ownerId, 0, Number.MAX_SAFE_INTEGER)) {
    const whole = isTaskFinal(status) ? await findWholeTask(ownerId, taskId) : undefined;
    for (const job of whole?.jobs ?? []) {
      const planned = whole && planOf(whole.plan, job);
      if (whole === undefined || planned === undefined || !isJobFinal(job.status)) continue;
      const row = rowOf(whole, planned, job);
      if (jobRowWrites(row, 0).length > 0) await countOnce(() => writeCounted((shard) => jobRowWrites(row, shard)));
      await recordReport(whole, job);
    }
  }
}

async function countOnce(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!conflictedOn(error, "job row")) throw error;
  }
}
