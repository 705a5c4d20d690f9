import * as z from "zod";
import { flag, longestName, optionalText, text, time, wholeNumber } from "../planFields.ts";

const approveUser = z.object({
  type: z
    .enum(["", "user", "group"], "must be user or group")
    .nullish()
    .transform((type) => type || ("user" as const)),
  user_id: optionalText(64),
  user_name: optionalText(longestName),
  group_id: optionalText(64),
  group_name: optionalText(longestName),
});

const vendorPerson = z.object({ id: text(128).min(1, "cannot be empty"), name: optionalText(longestName) });
const vendorApproval = z
  .object({
    timeout: wholeNumber(1_000_000),
    approval_id: optionalText(64),
    default_approval_initiator: vendorPerson.nullish(),
    approval_initiator: vendorPerson.nullish(),
    /** What approvals of WeCom call the initiator. */
    creator_user: vendorPerson.nullish(),
    approval_nodes: z
      .array(
        z.object({
          type: optionalText(32),
          approve_users: z.array(vendorPerson, "must be a list").max(100, "must have at most 100 entries").nullish(),
          approve_groups: z.array(z.unknown(), "must be a list").nullish(),
          cc_users: z.array(z.unknown(), "must be a list").nullish(),
          cc_groups: z.array(z.unknown(), "must be a list").nullish(),
        }),
        "must be a list",
      )
      .max(20, "must have at most 20 entries")
      .nullish(),
  })
  .meta({ id: "VendorQuestion" });

/** What a client sends of decisions is not read: it is in no schema. */
export const approvalInput = z.object({
  enabled: flag,
  type: optionalText(32),
  description: optionalText(4096),
  start_time: time,
  end_time: time,
  native_approval: z
    .object({
      timeout: wholeNumber(1_000_000),
      approve_users: z.array(approveUser, "must be a list").max(100, "must have at most 100 entries").nullish(),
      /** Left out: one. */
      needed_approvers: z
        .int("must be a whole number")
        .min(0, "must be at least 1")
        .max(100, "must be at most 100")
        .nullish()
        .transform((needed) => needed ?? 1),
    })
    .nullish(),
  lark_approval: vendorApproval.nullish(),
  dingtalk_approval: vendorApproval.nullish(),
  workwx_approval: vendorApproval.nullish(),
  forbid_self_approval: flag,
  valid_for_minutes: wholeNumber(525_600),
});
export type ApprovalInput = z.output<typeof approvalInput>;

const shownApprover = z.object({
  ...{ type: z.string(), user_id: z.string(), user_name: z.string(), group_id: z.string(), group_name: z.string() },
  reject_or_approve: z.string().optional(),
  ...{ comment: z.string(), operation_time: z.int() },
});

const shownVendorPerson = z.object({ id: z.string(), name: z.string() });
const shownVendorApproval = z
  .object({
    timeout: z.int(),
    approval_id: z.string(),
    default_approval_initiator: shownVendorPerson,
    approval_nodes: z.array(
      z.object({
        type: z.string(),
        approve_node_type: z.literal("user"),
        approve_users: z.array(
          shownVendorPerson.extend({
            reject_or_approve: z.string().optional(),
            ...{ comment: z.string(), operation_time: z.int() },
          }),
        ),
        reject_or_approve: z.string(),
      }),
    ),
    instance_code: z.string(),
  })
  .meta({ id: "VendorApproval" });

export const shownApproval = z
  .object({
    ...{ enabled: z.boolean(), status: z.string(), type: z.string(), description: z.string() },
    ...{ start_time: z.int().optional(), end_time: z.int().optional() },
    ...{ forbid_self_approval: z.boolean(), valid_for_minutes: z.int() },
    native_approval: z
      .object({
        timeout: z.int(),
        approve_users: z.array(shownApprover),
        flat_approve_users: z.array(shownApprover).optional(),
        needed_approvers: z.int(),
        reject_or_approve: z.string(),
        instance_code: z.string(),
      })
      .optional(),
    lark_approval: shownVendorApproval.optional(),
    dingtalk_approval: shownVendorApproval.optional(),
    workwx_approval: shownVendorApproval.optional(),
  })
  .meta({ id: "ReleasePlanApproval" });
