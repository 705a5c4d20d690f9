import * as z from "zod";
import { nativeApproval } from "../people.ts";
import { text } from "../wireFields.ts";
import { minutes, selection } from "./parts.ts";

const types = ["native", "lark", "lark_intl", "dingtalk", "workwx"] as const;

/** Spec of `approval`; 60 minutes unless `timeout` says otherwise. */
export const approvalSpec = z.looseObject({
  ...selection,
  timeout: minutes,
  type: z.enum(["", ...types], `must be one of ${types.join(", ")}`).nullish(),
  description: text,
  native_approval: nativeApproval.nullish(),
});
