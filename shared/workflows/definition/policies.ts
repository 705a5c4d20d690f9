import * as z from "zod";
import { approvalUser } from "./people.ts";
import { listOf, text, whole } from "./wireFields.ts";

export const errorPolicies = ["stop", "ignore_error", "retry", "manual_check"] as const;
export const ruleVerbs = [
  "=",
  "!=",
  "begins_with",
  "not_begins_with",
  "ends_with",
  "not_ends_with",
  "contains",
  "not_contains",
] as const;

/** What becomes of a job that failed or ran out of time (contract W 8.7). Empty is `stop`. */
export const errorPolicy = z.looseObject({
  policy: z.enum(["", ...errorPolicies], `must be one of ${errorPolicies.join(", ")}`).nullish(),
  maximum_retry: whole,
  approval_users: listOf(approvalUser),
});

/** Whether a job runs at all, decided when its turn comes (contract W 8.5). */
export const executePolicy = z.looseObject({
  type: z.enum(["", "skip", "execute"], "must be skip or execute").nullish(),
  match_rule: z.enum(["", "all", "any"], "must be all or any").nullish(),
  rules: listOf(
    z.looseObject({
      field: text,
      verb: z.enum(["", ...ruleVerbs], `must be one of ${ruleVerbs.join(", ")}`).nullish(),
      value: text,
    }),
  ),
});
