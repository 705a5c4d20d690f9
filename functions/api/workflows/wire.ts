import type * as z from "zod";
import { isRecord } from "../../../shared/manifest/schema/kubeObject.ts";
import { filledTree, type Tree, treesOf } from "../../../shared/manifest/tree.ts";
import { showCredentials } from "../../../shared/workflows/definition/credentials.ts";
import { jobKindOf } from "../../../shared/workflows/definition/jobKinds.ts";
import type { VersionedWorkflow, WorkflowSummary } from "../../../shared/workflows/saved/store/workflows.ts";
import { fullParam } from "./fullParam.ts";
import type { namedWorkflowList, storedWorkflow, workflowDetail, workflowList } from "./schemas.ts";
import type { shownApproval } from "./shownParts.ts";

type StageApproval = z.input<typeof shownApproval>;

export function listAnswer(summaries: readonly WorkflowSummary[]): z.input<typeof workflowList> {
  const workflows = summaries.map(({ key, displayName, updatedBy, updatedAt }) => ({
    ...{ workflow_key: key, workflow_name: displayName },
    ...{ update_by: updatedBy, update_time: updatedAt, type: "custom" as const },
  }));
  return { workflows };
}

export function namedListAnswer(
  project: string,
  summaries: readonly WorkflowSummary[],
): z.input<typeof namedWorkflowList> {
  const workflow_list = summaries.map((summary) => ({
    ...{ name: summary.key, display_name: summary.displayName, project },
    ...{ description: summary.description, category: summary.category, disabled: summary.disabled },
    ...{ concurrency_limit: summary.concurrencyLimit },
    ...{ updated_by: summary.updatedBy, update_time: summary.updatedAt },
  }));
  return { workflow_list, total: workflow_list.length };
}

/** Contract W 2.2: on the wire the key is `workflow_key`, the display name `workflow_name`. */
export function detailAnswer(workflow: VersionedWorkflow): z.input<typeof workflowDetail> {
  const { name: _, display_name, project, ...rest } = showCredentials(workflow.source);
  return {
    ...rest,
    workflow_key: workflow.key,
    workflow_name: workflow.displayName,
    project_key: workflow.projectKey,
    description: workflow.definition.description ?? "",
    ...timesOf(workflow),
    params: treesOf(rest.params).map(fullParam),
    stages: treesOf(rest.stages).map(stageAnswer),
    notify_ctls: treesOf(rest.notify_ctls),
    share_storages: treesOf(rest.share_storages),
    concurrency_limit: workflow.concurrencyLimit,
  };
}

export function storedAnswer(workflow: VersionedWorkflow): z.input<typeof storedWorkflow> {
  const { workflowId: id, key: name, displayName: display_name, projectKey: project } = workflow;
  return { ...showCredentials(workflow.source), id, name, display_name, project, ...timesOf(workflow) };
}

/** `name`, `parallel`, `approval` and `jobs` are always there. */
function stageAnswer(stage: Tree) {
  return {
    ...stage,
    name: String(stage.name),
    parallel: stage.parallel === true,
    approval: isRecord(stage.approval) ? (approvalAnswer(stage.approval) as StageApproval) : null,
    jobs: treesOf(stage.jobs).map(fullJob),
  };
}

/** Timeout and number of approvers in both spellings (contract W 1.3). */
function approvalAnswer(approval: Tree): Tree {
  const { native_approval: native } = approval;
  if (!isRecord(native)) return approval;
  const timeout = native.timeout ?? native.Timeout ?? 0;
  const needed = native.needed_approvers ?? native.NeededApprovers ?? 0;
  const both = { timeout, Timeout: timeout, needed_approvers: needed, NeededApprovers: needed };
  return { ...approval, native_approval: { ...native, ...both } };
}

function timesOf({ createdBy, createdAt, updatedBy, updatedAt }: VersionedWorkflow) {
  return { created_by: createdBy, create_time: createdAt, updated_by: updatedBy, update_time: updatedAt };
}

/** A job likewise. */
function fullJob(job: Tree) {
  const spec: Tree = isRecord(job.spec) ? job.spec : {};
  const empty = {
    ...{ skipped: false, run_policy: "" as const, service_modules: [] },
    ...{ error_policy: null, execute_policy: null },
  };
  const full = filledTree({ name: String(job.name), type: String(job.type), ...empty }, job);
  return { ...full, spec: jobKindOf(job.type)?.filled?.(spec) ?? spec };
}
