import * as z from "zod";
import { manualExec, stageApproval } from "./people.ts";
import { errorPolicy, executePolicy } from "./policies.ts";
import { flag, listOf, requiredText, scalar, text, texts } from "./wireFields.ts";

export type { ApprovalUser, NativeApproval } from "./people.ts";

/** Everything below is in the spelling of the wire, and keeps fields that it does not know (contract W 1). */
export const workflowParam = z
  .looseObject({
    name: requiredText.min(1, "name cannot be empty"),
    description: text,
    type: text,
    value: scalar.nullish(),
    choice_option: texts,
    choice_value: texts,
    default: scalar.nullish(),
    repo: z.looseObject({}, "must be a repository").nullish(),
    is_credential: flag,
    required: flag,
    source: text,
  })
  .meta({ id: "WorkflowParam" });
export type WorkflowParam = z.output<typeof workflowParam>;

/** `run_policy`: empty runs by default, `default_not_run` is preselected as skipped, `force_run` may not be skipped. */
export const runPolicies = ["", "default_not_run", "force_run", "skip"] as const;

export const workflowJob = z
  .looseObject({
    name: requiredText,
    type: requiredText.min(1, "type cannot be empty"),
    /** By type (contract W 5); what a type needs of it is checked by its own schema. */
    spec: z.looseObject({}, "must be an object").nullish(),
    skipped: flag,
    run_policy: z.enum(runPolicies, "must be empty, default_not_run or force_run").nullish(),
    error_policy: errorPolicy.nullish(),
    execute_policy: executePolicy.nullish(),
    service_modules: listOf(z.looseObject({}, "must be an object")),
    notify_ctls: listOf(z.looseObject({}, "must be an object")),
  })
  .meta({ id: "WorkflowJob" });
export type WorkflowJob = z.output<typeof workflowJob>;

export const workflowStage = z
  .looseObject({
    name: requiredText.min(1, "name cannot be empty"),
    parallel: flag,
    approval: stageApproval.nullish(),
    manual_exec: manualExec.nullish(),
    jobs: listOf(workflowJob),
  })
  .meta({ id: "WorkflowStage" });
export type WorkflowStage = z.output<typeof workflowStage>;

/** A directory that jobs which select it share (contract W 1.1). */
const shareStorage = z.looseObject({
  name: requiredText.min(1, "name cannot be empty"),
  path: text,
});

/** Body of create and update (contract W 1.1). `name` is the workflow key. Notifications are read when they are sent. */
export const workflowDefinition = z.looseObject({
  name: requiredText.min(1, "name cannot be empty"),
  display_name: text,
  project: requiredText.min(1, "project cannot be empty"),
  description: text,
  category: z.enum(["", "release"], "must be empty or release").nullish(),
  disabled: flag,
  params: listOf(workflowParam),
  stages: listOf(workflowStage),
  notify_ctls: listOf(z.looseObject({}, "must be an object")),
  share_storages: listOf(shareStorage),
  /** -1: no limit; 0: its tasks never start; absent: 1. */
  concurrency_limit: z.int("must be a whole number").min(-1, "must be -1, 0 or more").nullish(),
  remark_required: flag,
  ignore_cache: flag,
  enable_approval_ticket: flag,
});
export type WorkflowDefinition = z.output<typeof workflowDefinition>;

/** Tasks of one workflow that may run at once: -1 is no limit, 0 none (contract W 1.1). */
export function concurrencyLimitOf({ concurrency_limit }: Pick<WorkflowDefinition, "concurrency_limit">): number {
  return concurrency_limit ?? 1;
}
