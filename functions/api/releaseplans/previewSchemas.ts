import * as z from "zod";
import { heldFreeze, previewedObject } from "../../../shared/http/preview.ts";
import { cutMark } from "../../../shared/http/stream/cutMark.ts";
import { planJobStatuses, planStatuses } from "../../../shared/releaseplans/rules/status.ts";

const previewedService = z.object({
  service_name: z.string().meta({ description: "Empty for an object that belongs to no service" }),
  action: z.string(),
  modules: z.array(
    z.object({
      name: z.string(),
      now: z.string(),
      next: z.string().meta({ description: "Empty where only the run can tell" }),
    }),
  ),
  differences: z.array(previewedObject),
  notes: z.array(z.string()).meta({ description: "What only a run can know, in words" }),
  error: z.string().optional().meta({ description: "Why it would fail, or could not be found out" }),
});
const previewedEnvironment = z.object({
  ...{ project_key: z.string(), env_name: z.string(), production: z.boolean() },
  job_name: z.string().meta({ description: "Of the workflow" }),
  hidden: z.string().optional().meta({ description: "Why the caller sees no differences" }),
  services: z.array(previewedService),
});

/** What only readers of the workflow see is left out for others. */
const previewedJob = z.object({
  ...{ id: z.string(), name: z.string(), type: z.string(), status: z.enum(planJobStatuses) },
  waits_for: z.array(z.string()).meta({ description: "Names of the jobs that must be done or skipped before" }),
  workflow: z.object({ name: z.string(), display_name: z.string(), project: z.string() }).optional(),
  changed: z.boolean().optional().meta({ description: "The workflow was edited since the plan kept it" }),
  freezes: z.array(heldFreeze).optional(),
  deploys: z.array(previewedEnvironment).optional(),
  notes: z.array(z.string()).optional(),
  error: z.string().optional().meta({ description: "Why it cannot run, or be found out" }),
});

/** What a plan would do if it went on now. Times are Unix seconds, 0 where there is none. */
export const shownPreview = z
  .object({
    ...{ id: z.string(), name: z.string(), status: z.enum(planStatuses), version: z.int() },
    ...{ start_time: z.int(), end_time: z.int(), schedule_execute_time: z.int() },
    approval: z
      .object({
        ...{
          type: z.string(),
          status: z.string(),
          needed_approvers: z.int(),
          approved: z.int(),
          still_needed: z.int(),
        },
        waiting_for: z.array(z.object({ user_id: z.string(), user_name: z.string() })),
      })
      .optional(),
    freezes: z.array(heldFreeze.extend({ jobs: z.array(z.string()), meets_schedule: z.boolean() })),
    jobs: z.array(previewedJob),
    ...cutMark,
  })
  .meta({ id: "ReleasePlanPreview" });
