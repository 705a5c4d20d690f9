import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { flag, listOf, requiredText, text } from "../../definition/wireFields.ts";

const triggered = listOf(
  z.looseObject({
    service_name: text,
    service_module: text,
    workflow_name: requiredText.min(1, "workflow_name cannot be empty"),
    project_name: text,
    params: listOf(z.looseObject({ name: requiredText, value: z.unknown() })),
  }),
);

/** Starts workflows, and may wait for them. */
export const kind = {
  type: "workflow-trigger",
  words: ["Workflow Trigger", "触发工作流"],
  schema: z
    .looseObject({
      is_enable_check: flag,
      trigger_type: z.enum(["", "common", "fixed"], "must be common or fixed").nullish(),
      fixed_workflow_list: triggered,
      service_trigger_workflow: triggered,
      source: text,
      source_job_name: text,
    })
    .refine(
      ({ fixed_workflow_list: fixed, service_trigger_workflow: ofServices }) => fixed.length + ofServices.length > 0,
      {
        path: ["fixed_workflow_list"],
        error: "name a workflow here or in service_trigger_workflow",
      },
    ),
} as const satisfies JobKind;
