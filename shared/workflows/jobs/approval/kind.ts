import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { nativeApproval, vendorApprovals } from "../../definition/people.ts";
import { selection } from "../../definition/specParts.ts";
import { text } from "../../definition/wireFields.ts";

const types = ["native", "lark", "lark_intl", "dingtalk", "workwx"] as const;

/** People decide whether the task continues; 60 minutes unless `timeout` says otherwise. */
export const kind = {
  type: "approval",
  words: ["Approval", "人工审批"],
  schema: z.looseObject({
    ...selection,
    timeout: z.int("must be a number of minutes").min(0, "must be at least 0 minutes").nullish(),
    type: z.enum(["", ...types], `must be one of ${types.join(", ")}`).nullish(),
    description: text,
    native_approval: nativeApproval.nullish(),
    ...vendorApprovals,
  }),
  alwaysSelected: true,
  isDecided: true,
} as const satisfies JobKind;
