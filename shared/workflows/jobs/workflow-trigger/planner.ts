import type * as z from "zod";
import { type JobPlanner, single } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { kind as workflowTrigger } from "./kind.ts";

export type TriggerSpec = z.input<typeof workflowTrigger.schema>;
export type TriggeredWorkflow = NonNullable<TriggerSpec["fixed_workflow_list"]>[number];

/** What a job starts: the list that its type names, else the other one. */
export function listedWorkflows({
  trigger_type,
  fixed_workflow_list,
  service_trigger_workflow,
}: TriggerSpec): readonly TriggeredWorkflow[] {
  const [fixed, ofServices] = [fixed_workflow_list ?? [], service_trigger_workflow ?? []];
  const [first, other] = trigger_type === "fixed" ? [fixed, ofServices] : [ofServices, fixed];
  return first.length > 0 ? first : other;
}

const configured = single();

/** Shows what it started, once it did (contract W 4.4). */
export const planner: JobPlanner = {
  ...configured,
  expand: async (job, scope) => {
    readSpec(workflowTrigger, job);
    const expanded = await configured.expand(job, scope);
    return expanded.map((one) => ({
      ...one,
      spec: { is_enable_check: false, trigger_type: "", ...one.spec, workflow_trigger_events: [] },
    }));
  },
};
