import type * as z from "zod";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { type GivenQuestion, questionOf } from "../../../../shared/integrations/approvals/rules/givenQuestion.ts";
import { shownQuestion } from "../../../../shared/integrations/approvals/rules/shownQuestion.ts";
import {
  isVendorType,
  unasked,
  type VendorType,
} from "../../../../shared/integrations/approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../../../shared/integrations/approvals/rules/vendorFields.ts";
import { filledTree } from "../../../../shared/manifest/tree.ts";
import { costBreakdown } from "../../../../shared/reports/costs/rules/costBreakdown.ts";
import type { Prices } from "../../../../shared/reports/costs/rules/prices.ts";
import { jobKindOf } from "../../../../shared/workflows/definition/jobKinds.ts";
import { maskedValue } from "../../../../shared/workflows/definition/script/keyVal.ts";
import { jobOf, stageOf } from "../../../../shared/workflows/records/currentState.ts";
import type { WholeTask } from "../../../../shared/workflows/records/findTasks.ts";
import type { Approval } from "../../../../shared/workflows/records/rules/approval.ts";
import { type TaskApproval, taskApprovalOutcome } from "../../../../shared/workflows/records/rules/taskApproval.ts";
import { usedByTask } from "../../../../shared/workflows/records/rules/usedByTask.ts";
import type {
  Hold,
  JobPlan,
  JobRecord,
  StagePlan,
  StageRecord,
  Task,
} from "../../../../shared/workflows/records/task.ts";
import { shownSpecs } from "../../../../shared/workflows/tasks/start/shownSpecs.ts";
import { fullParam } from "../fullParam.ts";
import type { taskDetail } from "./taskSchemas.ts";

/** A task as its detail shows it (contract W 4), at the prices of now. */
export function toTask(whole: WholeTask, prices: Prices): z.input<typeof taskDetail> {
  const { task, plan } = whole;
  const specOf = shownSpecs(whole);
  return {
    task_id: task.taskId,
    workflow_key: task.owner.key,
    workflow_name: task.owner.name,
    project_key: task.owner.projectKey,
    project_name: task.owner.projectKey,
    params: plan.params.map((param) =>
      fullParam(param.is_credential === true ? { ...param, value: maskedValue } : param),
    ),
    status: task.status,
    reverted: false,
    remark: task.remark,
    ...(task.overrideReason && { override_reason: task.overrideReason }),
    task_creator: task.creator.name,
    task_revoker: task.revoker,
    ...(task.releasePlan && { release_plan: releasePlanOf(task.releasePlan) }),
    create_time: task.createTime,
    ...times(task),
    stages: plan.stages.map((stage, index) => toStage(whole, stage, index, specOf)),
    ...(task.error !== "" && { error: task.error }),
    cost: { currency: prices.currency, ...costBreakdown(usedByTask(whole), prices) },
    is_restart: false,
    debug: false,
    approval_ticket_id: "",
    approval_id: "",
  };
}

function releasePlanOf({ planId: id, name, index }: NonNullable<Task["releasePlan"]>) {
  return { id, name, index };
}

/** Times that are not known yet are left out. */
function times({ startTime, endTime }: { startTime: number; endTime: number }) {
  return { ...(startTime > 0 && { start_time: startTime }), ...(endTime > 0 && { end_time: endTime }) };
}

function toStage(whole: WholeTask, plan: StagePlan, index: number, specOf: ReturnType<typeof shownSpecs>) {
  const record = stageOf(whole, index);
  const executed = record?.executedBy;
  return {
    name: plan.name,
    status: record?.status ?? "",
    ...(record !== undefined && times(record)),
    parallel: plan.parallel,
    manual_exec:
      plan.manualExec === null
        ? null
        : {
            ...filledTree({ modify_params: false }, plan.manualExec.stated),
            excuted: executed !== undefined,
            manual_exector_id: executed?.uid ?? "",
            manual_exector_name: executed?.name ?? "",
          },
    approval: plan.approval === null ? null : toStageApproval(plan, record),
    jobs: plan.jobs.map((job) => toJob(job, jobOf(whole, job.name), specOf(job))),
    error: record?.error ?? "",
  };
}

/** In both shapes that clients read: nested, and flat as older ones do (contract W 4.2). */
function toStageApproval({ approval }: StagePlan, record: StageRecord | undefined) {
  if (approval === null) return null;
  if (approval.asks !== undefined) return toStageQuestion(approval, approval.asks, record);
  const native = toNative(record?.approval ?? approval.approval, approval.timeoutMinutes);
  const { type, description } = approval;
  return {
    enabled: true,
    ...{ type, status: record?.status ?? "", description, native_approval: native },
    approve_users: native.approve_users,
    timeout: native.timeout,
    needed_approvers: native.needed_approvers,
    reject_or_approve: native.reject_or_approve,
  };
}

/** Of one that a chat service is asked for. */
function toStageQuestion(
  { type, description, timeoutMinutes }: NonNullable<StagePlan["approval"]>,
  asks: NonNullable<NonNullable<StagePlan["approval"]>["asks"]>,
  record: StageRecord | undefined,
) {
  const timeout = Math.ceil(timeoutMinutes);
  const common = { enabled: true, type, status: record?.status ?? "", description };
  return {
    ...{ ...common, [vendorFields[asks.type]]: toQuestion(asks.type, asks.given, record?.approval, timeout) },
    ...{ approve_users: [], timeout, needed_approvers: 0 },
    reject_or_approve: said(record?.approval),
  };
}

/** What people were asked at a chat service, with what each said. @param timeout minutes */
function toQuestion(type: VendorType, given: GivenQuestion, approval: TaskApproval | undefined, timeout: number) {
  const { question = questionOf(type, given), round = unasked } = approval?.vendor ?? {};
  return { ...shownQuestion(question, round, timeout), reject_or_approve: said(approval) };
}

/** Empty while it is open, and where no one decided. */
function said(approval: TaskApproval | undefined): "" | "approve" | "reject" {
  const outcome = approval && taskApprovalOutcome(approval);
  if (outcome === "passed") return "approve";
  return outcome === "reject" ? "reject" : "";
}

function toNative(approval: Approval, timeoutMinutes: number) {
  const users = approval.approvers.map(({ userId, userName, decision, comment, decidedAt }) => ({
    ...{ type: "user", user_id: userId, user_name: userName, group_id: "", group_name: "" },
    ...{ reject_or_approve: decision, comment, operation_time: decidedAt },
  }));
  return {
    timeout: Math.ceil(timeoutMinutes),
    approve_users: users,
    flat_approve_users: users,
    needed_approvers: approval.neededApprovers,
    reject_or_approve: said(approval),
    instance_code: "",
  };
}

function toJob(plan: JobPlan, record: JobRecord | undefined, spec: Record<string, unknown>) {
  const { startTime = 0, endTime = 0 } = record ?? {};
  return {
    name: plan.name,
    key: plan.key,
    display_name: plan.displayName,
    origin_name: plan.originName,
    type: plan.type,
    status: record?.status ?? "",
    ...times({ startTime, endTime }),
    cost_seconds: startTime === 0 ? 0 : (endTime === 0 ? nowSeconds() : endTime) - startTime,
    error: record?.error ?? "",
    ...(record?.failure && { failure: record.failure }),
    reverted: false,
    breakpoint_before: false,
    breakpoint_after: false,
    spec: jobKindOf(plan.type)?.isDecided === true ? withApproval(plan, record, spec) : spec,
    error_policy: plan.errorPolicy?.stated ?? null,
    error_handler_user_id: record?.errorHandler?.uid ?? "",
    error_handler_username: record?.errorHandler?.name ?? "",
    retry_count: record?.retryCount ?? 0,
    ...(record?.hold && { hold: toHold(record.hold, record.stands) }),
    job_info: plan.jobInfo,
  };
}

function toHold({ by, since, until }: Hold, stands: JobRecord["stands"]) {
  return { held_by: by.name, hold_time: since, hold_until: until, stands: stands ?? "" } as const;
}

/** With what each approver said. */
function withApproval(plan: JobPlan, record: JobRecord | undefined, spec: Record<string, unknown>) {
  const approval = record?.approval ?? (plan.run.approval as Approval | undefined);
  const texts = { description: "", approval_message: "", approval_title: "" };
  const timeout = Number(plan.spec.timeout ?? 0);
  const type = String(plan.spec.type);
  if (isVendorType(type)) {
    const field = vendorFields[type];
    const question = toQuestion(type, (spec[field] ?? {}) as GivenQuestion, record?.approval, timeout);
    return { ...texts, ...spec, [field]: question };
  }
  if (approval === undefined) return { ...texts, ...spec };
  return { ...texts, ...spec, native_approval: toNative(approval, timeout) };
}
