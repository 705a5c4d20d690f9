import * as z from "zod";
import { longestDays } from "../../../shared/projects/rules/retention.ts";

const days = z
  .int("must be a whole number of days; 0 is for ever")
  .min(0, "must be 0 (for ever) or more days")
  .max(longestDays, `must be at most ${longestDays} days; 0 is for ever`)
  .default(0);

/** What is absent is kept for ever: it is replaced as a whole. */
export const newRetention = z
  .strictObject({ task_days: days, log_days: days, version_days: days })
  .refine(({ task_days, log_days }) => task_days === 0 || log_days <= task_days, {
    path: ["log_days"],
    error: "must not be longer than task_days: logs go with their task",
  });

export const retention = z
  .object({
    task_days: z.int(),
    log_days: z.int(),
    version_days: z.int(),
    newest_kept: z.int(),
    swept_at: z.int(),
    removed_tasks: z.int(),
    removed_logs: z.int(),
    removed_versions: z.int(),
  })
  .meta({ id: "ProjectRetention" });
