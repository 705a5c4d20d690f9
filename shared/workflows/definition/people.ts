import * as z from "zod";
import { flag, listOf, text, whole } from "./wireFields.ts";

/** People to ask or to notify (contract W 1.4): `type` is `user` (or empty), `group`, `task_creator` or `email`. */
export const approvalUser = z.looseObject({
  type: text,
  user_id: text,
  user_name: text,
  group_id: text,
  group_name: text,
  reject_or_approve: text,
  comment: text,
  operation_time: whole,
});
export type ApprovalUser = z.output<typeof approvalUser>;

/** Approval by users of this installation; `timeout` in minutes, 60 when 0. Both spellings are read (contract W 1.3). */
export const nativeApproval = z.looseObject({
  timeout: whole,
  Timeout: whole,
  approve_users: listOf(approvalUser),
  needed_approvers: whole,
  NeededApprovers: whole,
});
export type NativeApproval = z.output<typeof nativeApproval>;

const vendorPerson = z.looseObject({ id: text, name: text }, "must be an object with id and name").nullish();
const others = z.array(z.unknown(), "must be a list").nullish();

/**
 * Approval by people of a chat service through a chat app of the settings, by the ids that they have there; `timeout` in
 * minutes, 60 when 0.
 */
const vendorApproval = z
  .looseObject({
    timeout: whole,
    approval_id: text,
    default_approval_initiator: vendorPerson,
    approval_initiator: vendorPerson,
    creator_user: vendorPerson,
    approval_nodes: z
      .array(
        z.looseObject({
          type: text,
          approve_users: z
            .array(z.looseObject({ id: text, name: text }), "must be a list")
            .max(100, "must have at most 100 entries")
            .nullish(),
          approve_groups: others,
          cc_users: others,
          cc_groups: others,
        }),
        "must be a list",
      )
      .max(20, "must have at most 20 entries")
      .nullish(),
  })
  .meta({ id: "WorkflowVendorApproval" });

/** By the type of the approval, in the spelling of the wire. */
export const vendorApprovals = {
  lark_approval: vendorApproval.nullish(),
  dingtalk_approval: vendorApproval.nullish(),
  workwx_approval: vendorApproval.nullish(),
};

/** A gate before the first job of a stage (contract W 1.3, 8.6). */
export const stageApproval = z.looseObject({
  enabled: flag,
  type: text,
  description: text,
  native_approval: nativeApproval.nullish(),
  ...vendorApprovals,
});

/** A stage that waits until one of the named people lets it continue. */
export const manualExec = z.looseObject({
  enabled: flag,
  modify_params: flag,
  manual_exec_users: listOf(approvalUser),
});
