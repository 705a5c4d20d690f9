import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import type { WorkflowDefinition, WorkflowJob } from "../../definition/definition.ts";
import { jobKindOf } from "../../definition/jobKinds.ts";
import { requireRunnable } from "../../jobs/planners.ts";
import type { TaskPlan } from "../../records/task.ts";
import { jobsOf } from "./requireUnfrozen.ts";
import type { JobInput } from "./selectJobs.ts";

/**
 * Jobs that a request plans: each may read a dozen records one after the other, and the gateway waits for 29 seconds. The
 * machine of a task has five minutes.
 */
const mostAtOnce = 50;

/**
 * Whether a start has more jobs than a request plans; one that is done for 60 services is 60 jobs.
 * @throws ApiError 6160 for a large one with a job of a kind that cannot run here
 */
export function isLarge({ stages }: WorkflowDefinition, inputs: readonly JobInput[] | "as configured"): boolean {
  const given = inputs === "as configured" ? undefined : new Map(inputs.map((one) => [one.jobName, one.parameters]));
  const chosen = stages.flatMap(({ jobs }) => jobs).filter(({ name }) => given?.has(name) ?? true);
  const sizes = chosen.map((job) => sizeOf(job, given?.get(job.name)));
  const isSmall = sizes.reduce((sum, size) => sum + size, 0) <= mostAtOnce;
  if (!isSmall) chosen.forEach(requireRunnable);
  return !isSmall;
}

/** What it is done for as the start says, else as the definition does. */
function sizeOf({ spec, type }: WorkflowJob, parameters: Record<string, unknown> = {}): number {
  if (jobKindOf(type)?.isOneTask === true) return 1;
  return longestList(parameters) || longestList(spec ?? {}) || 1;
}

const subjects = ["service_name", "testing_name", "scanning_name", "workload_name"];

function longestList(fields: Record<string, unknown>): number {
  const lists = Object.values(fields).filter(Array.isArray);
  return Math.max(0, ...lists.map((list) => list.filter(isSubject).length));
}

function isSubject(entry: unknown): boolean {
  return isRecord(entry) && subjects.some((field) => field in entry);
}

/** Whether a task is planned by its machine when it is retried. */
export function isLargePlan(plan: TaskPlan): boolean {
  return jobsOf(plan).length > mostAtOnce;
}
