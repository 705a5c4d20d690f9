import * as z from "zod";
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

const configured = single();

/** Shows what it started, once it did (contract W 4.4). */
export const workflowTriggerPlanner: JobPlanner = {
  ...configured,
  expand: async (job, scope) => {
    const expanded = await configured.expand(job, scope);
    return expanded.map((one) => ({
      ...one,
      spec: { is_enable_check: false, trigger_type: "", ...one.spec, workflow_trigger_events: [] },
    }));
  },
};
