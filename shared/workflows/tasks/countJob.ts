import type { JobRow } from "../../statistics/rules/jobRow.ts";
import { jobRowWrites } from "../../statistics/store/jobRows.ts";
import { noteTestCases } from "../../statistics/store/testCases.ts";
import type { Write } from "../../store/writes.ts";
import { noteCommits } from "../records/commits.ts";
import type { WholeTask } from "../records/findTasks.ts";
import type { JobPlan, JobRecord } from "../records/task.ts";

type Planned = Pick<WholeTask, "task" | "plan">;

/** What statistics count with the end of a job, in the same transaction (decisions 12.7). */
export function endCounted({ task, plan }: Planned, job: JobRecord, shard: number): Write[] {
  const planned = planOf(plan, job);
  return planned === undefined ? [] : jobRowWrites(rowOf(task, planned, job), shard);
}

/** The row of a job that has ended. */
export function rowOf({ owner, taskId, createTime }: WholeTask["task"], planned: JobPlan, job: JobRecord): JobRow {
  const { jobId, status, startTime, endTime } = job;
  const { type, run, spec, jobInfo } = planned;
  return {
    ...{ jobId, projectKey: owner.projectKey, workflowKey: owner.key, taskId, type, status },
    production: run.production === true || spec.production === true,
    envKey: typeof run.env === "string" ? run.env : "",
    service: jobInfo.service_name ?? "",
    ...{ createTime, startTime, endTime },
  };
}

/** Notes what is known with the end of a job: the commits it worked on, the cases of its report. May be repeated. */
export async function noteResult(planned: Planned, job: JobRecord): Promise<void> {
  await noteCommits(planned.task, commitsOf(job));
  await noteReport(planned, job);
}

function commitsOf({ result: { repos } }: JobRecord): string[] {
  if (!Array.isArray(repos)) return [];
  return repos.flatMap(({ commit_id }: { commit_id?: unknown }) => (typeof commit_id === "string" ? commit_id : []));
}

/** Notes how many cases the report of a test has (contract D 5.4). */
export async function noteReport({ task, plan }: Planned, { result, startTime, ...job }: JobRecord): Promise<void> {
  const test = planOf(plan, job)?.jobInfo.testing_name;
  const cases = result.test_case_num;
  if (test === undefined || typeof cases !== "number") return;
  await noteTestCases({ projectKey: task.owner.projectKey, test, cases, startTime });
}

function planOf(plan: WholeTask["plan"], { stage, name }: Pick<JobRecord, "stage" | "name">): JobPlan | undefined {
  return plan.stages[stage]?.jobs.find((one) => one.name === name);
}
