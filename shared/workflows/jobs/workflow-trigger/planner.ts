import * as z from "zod";
import { ApiError } from "../../../errors/apiError.ts";
import { readSpec } from "../container/readSpec.ts";
import { type JobPlanner, single } from "../planner.ts";

const param = z.looseObject({ name: z.string(), value: z.unknown() });

const triggered = z.looseObject({
  service_name: z.string().nullish(),
  service_module: z.string().nullish(),
  workflow_name: z.string(),
  project_name: z.string().nullish(),
  params: z.array(param).nullish(),
});

/** Starts workflows, and may wait for them (contract W 5). */
export const workflowTriggerSpec = z.looseObject({
  is_enable_check: z.boolean().nullish(),
  trigger_type: z.string().nullish(),
  fixed_workflow_list: z.array(triggered).nullish(),
  service_trigger_workflow: z.array(triggered).nullish(),
});

export type TriggeredWorkflow = z.output<typeof triggered>;

/** What a job starts: the list that its type names, else the other one. */
export function listedWorkflows({
  trigger_type,
  fixed_workflow_list,
  service_trigger_workflow,
}: z.output<typeof workflowTriggerSpec>): readonly TriggeredWorkflow[] {
  const [fixed, ofServices] = [fixed_workflow_list ?? [], service_trigger_workflow ?? []];
  const [first, other] = trigger_type === "fixed" ? [fixed, ofServices] : [ofServices, fixed];
  return first.length > 0 ? first : other;
}

const configured = single();

/** Shows what it started, once it did (contract W 4.4). */
export const workflowTriggerPlanner: JobPlanner = {
  ...configured,
  expand: async (job, scope) => {
    if (listedWorkflows(readSpec(workflowTriggerSpec, job)).length === 0)
      throw new ApiError(
        6160,
        `job ${job.name} starts nothing: name a workflow in fixed_workflow_list or service_trigger_workflow`,
      );
    const expanded = await configured.expand(job, scope);
    return expanded.map((one) => ({
      ...one,
      spec: { is_enable_check: false, trigger_type: "", ...one.spec, workflow_trigger_events: [] },
    }));
  },
};
