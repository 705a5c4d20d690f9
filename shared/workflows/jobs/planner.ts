import type { WorkflowDefinition, WorkflowJob } from "../definition/definition.ts";
import type { TaskActor } from "../records/task.ts";

/** What a task is planned for. */
export interface PlanScope {
  project: { key: string; name: string };
  /** `id` is that of its record. */
  workflow: { id: string; key: string; name: string };
  /** With what the start call chose. */
  definition: WorkflowDefinition;
  taskId: number;
  creator: TaskActor;
  /** Unix seconds. */
  startedAt: number;
  /** A release plan starts the task. */
  isOfReleasePlan?: boolean;
  /** No task begins: variables about the task stay as they are written. */
  isPreview?: boolean;
  /**
   * Takes a credential out of the plan: it is sealed with the task. Returns a variable to put in its place, which is
   * replaced in memory when the job begins.
   */
  keepSecret(value: string): string;
}

/** One job task of a job (contract W 8.9). */
export interface ExpandedJob {
  /** What follows the job's name in the key. */
  parts: readonly string[];
  /** The parts by name, as task detail shows them beside `job_name` (contract W 4.3). */
  jobInfo?: Record<string, string>;
  /** What task detail shows of the job (contract W 4.4); values of credentials are variables of `keepSecret`, or stars. */
  spec: Record<string, unknown>;
  /** What its runner needs; never shown. */
  run?: Record<string, unknown>;
  /** Minutes; 0 and less are 600 (contract W 8.7). */
  timeoutMinutes: number;
  /** What `<SERVICE>` and `<MODULE>` stand for in its variables. */
  serviceModule?: { service: string; module: string };
}

/** How a kind of job of a definition becomes job tasks. Reaches no cluster: it runs while the start call is answered. */
export interface JobPlanner {
  /**
   * Takes the start call's parameters over into the spec (contract W 3); without it the kind takes none but `{}`.
   * @throws ApiError 6160 with what is wrong with them
   */
  select?(job: WorkflowJob, parameters: Record<string, unknown>, scope: PlanScope): Promise<Record<string, unknown>>;
  /** @throws ApiError 6160 when the job cannot run as it is chosen */
  expand(job: WorkflowJob, scope: PlanScope): Promise<ExpandedJob[]>;
  /** Values that other jobs may use as `{{.job.<name>.<key>}}`, by key, known before the job runs (contract W 6). */
  variables?(job: WorkflowJob, scope: PlanScope): Promise<ReadonlyMap<string, string>>;
}

/** A kind whose job is one job task with the definition's spec as it is (contract W 8.9, "the rest"). */
export function single(timeoutMinutes: (spec: Record<string, unknown>) => number = () => 0): JobPlanner {
  return {
    expand: async ({ spec }) => [
      { parts: [], spec: { ...spec }, run: { ...spec }, timeoutMinutes: timeoutMinutes(spec ?? {}) },
    ],
  };
}
