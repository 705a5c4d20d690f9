import type * as z from "zod";
import { readStoredText } from "../../../shared/base/aws/objects/objectStore.ts";
import { shownQuestion } from "../../../shared/integrations/approvals/rules/shownQuestion.ts";
import { vendorFields } from "../../../shared/integrations/approvals/rules/vendorFields.ts";
import { shownNotifyCtls } from "../../../shared/releaseplans/notifyCtls.ts";
import type { StoredEntry } from "../../../shared/releaseplans/records/planLog.ts";
import type { PlanSummary } from "../../../shared/releaseplans/records/plans.ts";
import type { Plan, PlanApproval, PlanJob } from "../../../shared/releaseplans/rules/plan.ts";
import type { PlanJobStatus } from "../../../shared/releaseplans/rules/status.ts";
import { type Approver, approvalOutcome } from "../../../shared/workflows/records/rules/approval.ts";
import type { planList, planLog, searchedPlans, shownJob, shownPlan } from "./planSchemas.ts";

type ShownPlan = z.input<typeof shownPlan>;
type ShownJob = z.input<typeof shownJob>;
type ShownApproval = NonNullable<ShownPlan["approval"]>;

export async function listItem(summary: PlanSummary): Promise<z.input<typeof planList>["list"][number]> {
  const { planId: id, index, name, manager, createdBy, createdAt, status } = summary;
  const description = await readStoredText(summary.description);
  return { id, index, name, manager, description, created_by: createdBy, create_time: createdAt, status };
}

/** @param people everybody whom the approval names now, where they are to be shown */
export async function planAnswer(plan: Plan, jobs: ShownJob[] | undefined, people?: Approver[]): Promise<ShownPlan> {
  const { settings, hooks, approval } = plan;
  return {
    ...{ id: plan.planId, index: plan.index, version: plan.edition, name: plan.name, manager: plan.manager },
    ...{ manager_id: plan.managerId, approver_id: "", start_time: plan.startTime, end_time: plan.endTime },
    ...{ schedule_execute_time: plan.scheduleExecuteTime, description: await readStoredText(plan.description) },
    ...{ created_by: plan.createdBy, create_time: plan.createdAt, updated_by: plan.updatedBy },
    ...{ update_time: plan.updatedAt, jira_sprint_association: plan.jiraSprintAssociation },
    ...(approval !== null && { approval: approvalAnswer(approval, people) }),
    settings: {
      ...{ auto_execute: settings.autoExecute, concurrency: settings.concurrency },
      ...{ stop_on_failure: settings.stopOnFailure, rollback_on_failure: settings.rollbackOnFailure },
    },
    notify_ctls: await shownNotifyCtls(plan.notify ?? null),
    ...(jobs !== undefined && { jobs }),
    ...{ status: plan.status, planning_time: plan.planningTime, finish_planning_time: plan.finishPlanningTime },
    ...{ approval_time: plan.approvalTime, executing_time: plan.executingTime, success_time: plan.successTime },
    instance_code: plan.instanceCode,
    hook_settings: hooks && {
      ...{ enable: hooks.enable, enable_call_back: hooks.enableCallBack, hook_events: [...hooks.events] },
    },
    wait_for_finish_planning_external_check_time: plan.finishPlanningCheckTime,
    wait_for_approve_external_check_time: plan.approveCheckTime,
    wait_for_execute_external_check_time: plan.executeCheckTime,
    wait_for_all_done_external_check_time: plan.allDoneCheckTime,
    external_check_failed_reason: plan.checkFailedReason,
    callback_description: plan.callbackDescription,
  };
}

/** A plan in a list that was searched, with how far its jobs are. */
export async function foundPlanAnswer(plan: Plan): Promise<z.input<typeof searchedPlans>["list"][number]> {
  const count = (...statuses: PlanJobStatus[]) => plan.jobs.filter(({ status }) => statuses.includes(status)).length;
  const job_counts = { total: plan.jobs.length, ended: count("done", "skipped"), failed: count("failed") };
  return { ...(await planAnswer(plan, undefined)), job_counts };
}

/** After the first decision the list holds those who may decide, in the place of groups (contract D 2.10). */
function approvalAnswer(approval: PlanApproval, people: Approver[] | undefined): ShownApproval {
  const { enabled, status, description, startTime, endTime, named, approvers, vendor } = approval;
  const common = {
    ...{ enabled, status, type: vendor?.type ?? "native", description },
    ...(startTime !== 0 && { start_time: startTime }),
    ...(endTime !== 0 && { end_time: endTime }),
    ...{ forbid_self_approval: approval.forbidSelfApproval, valid_for_minutes: approval.validForMinutes },
  };
  if (vendor !== undefined)
    return { ...common, [vendorFields[vendor.type]]: shownQuestion(vendor, vendor.round, approval.timeout) };
  const isDecidedOn = approvers.some(({ decision }) => decision !== "");
  const outcome = status === "" ? undefined : approvalOutcome(approval);
  return {
    ...common,
    native_approval: {
      timeout: approval.timeout,
      approve_users: isDecidedOn ? approvers.map(approverAnswer) : named.map(namedAnswer),
      ...(people !== undefined && {
        flat_approve_users: (approvers.length > 0 ? approvers : people).map(approverAnswer),
      }),
      needed_approvers: approval.neededApprovers,
      reject_or_approve: outcome === "passed" ? "approve" : (outcome ?? ""),
      instance_code: approval.instanceCode,
    },
  };
}

function approverAnswer({ userId, userName, decision, comment, decidedAt }: Approver) {
  return {
    ...{ type: "user", user_id: userId, user_name: userName, group_id: "", group_name: "" },
    ...(decision !== "" && { reject_or_approve: decision }),
    ...{ comment, operation_time: decidedAt },
  };
}

function namedAnswer({ type, id, name }: PlanApproval["named"][number]) {
  const isUser = type === "user";
  return {
    ...{ type, user_id: isUser ? id : "", user_name: isUser ? name : "" },
    ...{ group_id: isUser ? "" : id, group_name: isUser ? "" : name, comment: "", operation_time: 0 },
  };
}

export function jobAnswer(job: PlanJob, spec: Record<string, unknown> | null): ShownJob {
  return {
    ...{ id: job.id, name: job.name, manager: job.manager, manager_id: job.managerId, type: job.type, spec },
    depends_on: [...job.dependsOn],
    ...{ status: job.status, last_status: job.lastStatus, updated: job.updated },
    ...{ executed_by: job.executedBy, executed_time: job.executedTime },
  };
}

export function logAnswer(planId: string, entries: readonly StoredEntry[]): z.input<typeof planLog> {
  const none = { verb_i18_map: {}, target_type_i18_map: {}, detail_i18_map: {}, user_name_i18_map: {} };
  return { i18n: none, list: entries.map((entry) => entryAnswer(planId, entry)) };
}

export function entryAnswer(planId: string, entry: StoredEntry): z.input<typeof planLog>["list"][number] {
  const { by, verb, targetName, targetType, before, after, detail, edition, createdAt, sequence } = entry;
  return {
    ...{ id: `${planId}-${sequence}`, plan_id: planId, username: by.name, account: by.account, verb },
    ...{ target_name: targetName, target_type: targetType, detail, created_at: createdAt },
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(edition !== undefined && { version: edition }),
  };
}
