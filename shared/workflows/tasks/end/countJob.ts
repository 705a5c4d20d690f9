import type { Write } from "../../../base/store/writes.ts";
import { isDeployment, type JobRow } from "../../../reports/statistics/rules/jobRow.ts";
import { endWrites } from "../../../reports/statistics/store/deliveredServices.ts";
import { recordTestCases } from "../../../reports/statistics/store/testCases.ts";
import { recordCommits } from "../../records/commits.ts";
import { planOf } from "../../records/currentState.ts";
import type { WholeTask } from "../../records/findTasks.ts";
import { type JobScope, withAllJobs } from "../../records/jobScope.ts";
import type { JobPlan, JobRecord } from "../../records/task.ts";

type Planned = Pick<WholeTask, "task" | "plan">;

/** What statistics count with the end of a job, in the same transaction (decisions 12.7), by the shard; as `endWrites`. */
export async function endCounted(scope: JobScope, job: JobRecord): Promise<(shard: number) => Write[]> {
  const planned = planOf(scope.plan, job);
  if (planned === undefined) return () => [];
  // Only what deploys looks for the commits of others.
  const isCompared = job.status === "passed" && isDeployment(rowOf(scope, planned, job));
  return endWrites(rowOf(isCompared ? await withAllJobs(scope) : scope, planned, job));
}

/** The row of a job that has ended. */
export function rowOf(whole: WholeTask, planned: JobPlan, job: JobRecord): JobRow {
  const { owner, taskId, createTime } = whole.task;
  const { jobId, status, startTime, endTime } = job;
  const { type, run, spec, jobInfo } = planned;
  const row: JobRow = {
    ...{ jobId, projectKey: owner.projectKey, workflowKey: owner.key, taskId, type, status },
    production: run.production === true || spec.production === true,
    envKey: typeof run.env === "string" ? run.env : "",
    service: jobInfo.service_name ?? jobInfo.release_name ?? "",
    ...{ createTime, startTime, endTime },
  };
  const commitTime = status === "passed" && isDeployment(row) ? commitTimeOf(whole, row.service) : undefined;
  return commitTime === undefined ? row : { ...row, leads: 1, leadSeconds: Math.max(0, endTime - commitTime) };
}

/** Of the newest commit that the task checked out for a service; of jobs that are about none when it is not named. */
function commitTimeOf({ plan, jobs }: WholeTask, service: string): number | undefined {
  const times = jobs.flatMap((job) => {
    const about = planOf(plan, job)?.jobInfo.service_name ?? "";
    if (job.status !== "passed" || (about !== "" && about !== service)) return [];
    return reposOf(job).flatMap(({ commit_time }) => (typeof commit_time === "number" ? commit_time : []));
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Notes what is known with the end of a job: the commits it worked on, the cases of its report. May be repeated. */
export async function recordResult(planned: Planned, job: JobRecord): Promise<void> {
  await recordCommits(planned.task, commitsOf(job));
  await recordReport(planned, job);
}

function commitsOf(job: JobRecord): string[] {
  return reposOf(job).flatMap(({ commit_id }) => (typeof commit_id === "string" ? commit_id : []));
}

function reposOf({ result: { repos } }: JobRecord): { commit_id?: unknown; commit_time?: unknown }[] {
  return Array.isArray(repos) ? repos : [];
}

/** Notes how many cases the report of a test has (contract D 5.4). */
export async function recordReport({ task, plan }: Planned, { result, startTime, ...job }: JobRecord): Promise<void> {
  const test = planOf(plan, job)?.jobInfo.testing_name;
  const cases = result.test_case_num;
  if (test === undefined || typeof cases !== "number") return;
  await recordTestCases({ projectKey: task.owner.projectKey, test, cases, startTime });
}
