import { ApiError } from "../../base/errors/apiError.ts";
import type { WorkflowJob } from "../definition/definition.ts";
import { isJobType } from "../definition/jobKinds.ts";
import type { JobPlanner } from "./planner.ts";

/** Kinds that are stored and returned untouched: a start that reaches one is refused (decisions 19.9). */
const notRun: JobPlanner = {
  select: async (job) => ({ ...job.spec }),
  expand: async (job) => {
    throw cannotRun(job);
  },
};

/** A start that reaches a job of a kind that cannot run here. */
function cannotRun({ name, type }: Pick<WorkflowJob, "name" | "type">): ApiError {
  return new ApiError(
    6160,
    `job ${name}: jobs of type ${type} cannot be run here; leave it out, or use a freestyle job`,
  );
}

/** @throws ApiError 6160 for a kind that cannot run here */
export function requireRunnable(job: Pick<WorkflowJob, "name" | "type">): void {
  if (!isJobType(job.type)) throw cannotRun(job);
}

/** How jobs of a type are planned: the `planner.ts` in the folder of its kind, loaded when it is needed. */
export async function plannerOf(type: string): Promise<JobPlanner> {
  if (!isJobType(type)) return notRun;
  const { planner }: { planner: JobPlanner } = await import(`./${type}/planner.ts`);
  return planner;
}
