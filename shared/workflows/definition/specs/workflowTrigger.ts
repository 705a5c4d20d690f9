import * as z from "zod";
import { flag, listOf, text } from "../wireFields.ts";

const triggered = z.looseObject({
  service_name: text,
  service_module: text,
  workflow_name: z.string("must be a text").min(1, "workflow_name cannot be empty"),
  project_name: text,
  params: listOf(z.looseObject({ name: text })),
});

/** Spec of `workflow-trigger`. */
export const workflowTrigger = z.looseObject({
  is_enable_check: flag,
  trigger_type: z.enum(["", "common", "fixed"], "must be common or fixed").nullish(),
  fixed_workflow_list: listOf(triggered),
  service_trigger_workflow: listOf(triggered),
  source: text,
  source_job_name: text,
});
