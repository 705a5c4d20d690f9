import type { WorkflowJob } from "../definition/definition.ts";
import type { PlanScope } from "./planner.ts";

/** A job of the workflow, which another one refers to. */
export function jobNamed({ definition }: PlanScope, name: unknown): WorkflowJob | undefined {
  return definition.stages.flatMap(({ jobs }) => jobs).find((job) => job.name === name);
}
