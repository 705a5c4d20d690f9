import * as z from "zod";
import { flag, listOf, text, whole } from "./wireFields.ts";

/** Somebody who decides or is told (contract W 1.4): `type` is `user` (or empty), `group`, `task_creator` or `email`. */
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

/** A gate before the first job of a stage (contract W 1.3, 8.6). */
export const stageApproval = z.looseObject({
  enabled: flag,
  type: text,
  description: text,
  native_approval: nativeApproval.nullish(),
});

/** A stage that waits until one of the named people lets it go on. */
export const manualExec = z.looseObject({
  enabled: flag,
  modify_params: flag,
  manual_exec_users: listOf(approvalUser),
});
