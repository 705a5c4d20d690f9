import { unasked, vendorNames } from "../../integrations/approvals/rules/vendorApproval.ts";
import { type Approver, approvalOutcome, decided } from "../../workflows/records/rules/approval.ts";
import { changeStatus } from "./changeStatus.ts";
import { startPlanExecution } from "./execution.ts";
import { type Call, hasBegun } from "./jobs.ts";
import { type Plan, type PlanApproval, systemActor } from "./plan.ts";
import { followedBy, forbid, type Refusal, refuse, type Step, stepFrom } from "./step.ts";

/** An approval before anybody decided: what a client or an earlier round said of its outcome is not kept. */
export function undecided(approval: PlanApproval): PlanApproval {
  const { vendor } = approval;
  const cleared = { ...approval, status: "" as const, approvers: [], instanceCode: "" };
  return vendor === undefined ? cleared : { ...cleared, vendor: { ...vendor, round: unasked } };
}

/**
 * The approval begins: everybody who was named may decide, but not those who are barred from it.
 * @param people who is named now, groups expanded; those who were deleted are not among them
 */
export function startApproval(plan: Plan, people: readonly Approver[], code: string, call: Call): Step | Refusal {
  const { approval } = plan;
  if (approval === null) return refuse("nil approval: the plan names nobody who approves; move it to executing");
  const requested: Plan = { ...plan, requester: call.by.uid };
  if (approval.vendor !== undefined) {
    const begun = { ...undecided(approval), instanceCode: code };
    return changeStatus(requested, "wait_for_approval", call.by, "approval started", { approval: begun });
  }
  const approvers = people.filter(({ userId }) => !isBarred(requested, userId));
  if (approval.enabled && approvers.length < approval.neededApprovers) {
    const barred = people.length - approvers.length;
    const why = barred === 0 ? "" : `; ${barred} of those who are named asked for it or edited the plan`;
    const wanted = `${approval.neededApprovers} must approve and ${approvers.length} are left who may`;
    return refuse(`all approve users should not less than needed approvers: ${wanted}${why}`);
  }
  const begun = { ...undecided(approval), approvers, instanceCode: code };
  return changeStatus(requested, "wait_for_approval", call.by, "approval started", { approval: begun });
}

/** Whether a user who is named may not decide. */
export function isBarred({ approval, requester, editors }: Plan, uid: string): boolean {
  return approval?.forbidSelfApproval === true && (requester === uid || editors.includes(uid));
}

/**
 * What one approver says: any reject denies the plan at once, as many approvals as are needed begin its execution
 * (contract D 2.10). Each decides once, administrators like everybody else.
 */
export function decide(plan: Plan, said: { approve: boolean; comment: string }, { by, now }: Call): Step | Refusal {
  const { approval } = plan;
  if (plan.status !== "wait_for_approval" || approval === null)
    return refuse(`plan status is ${plan.status}, can not approve; only wait_for_approval is decided`);
  if (approval.vendor !== undefined)
    return refuse(`the plan is approved in ${vendorNames[approval.vendor.type]}, not by this call`);
  if (isBarred(plan, by.uid))
    return forbid(`user ${by.name} has no authority to Approve: who asks for the approval or edits the plan does not`);
  const next = decided(approval, by, { ...said, at: now });
  if (typeof next === "string") {
    const isListed = approval.approvers.some(({ userId }) => userId === by.uid);
    return isListed ? refuse(next) : forbid(next);
  }
  const outcome = approvalOutcome(next);
  const status = outcome ?? ("" as const);
  const entry = {
    ...({ by, verb: "update", targetType: "approval", targetName: plan.name } as const),
    detail: `${said.approve ? "approved" : "rejected"}${said.comment === "" ? "" : `: ${said.comment}`}`,
  };
  const step: Step = { ...stepFrom({ ...plan, approval: { ...approval, ...next, status } }), log: [entry] };
  if (outcome === undefined) return step;
  return approvalEnded(step, outcome, now);
}

/** The approval was decided: the log records its end, and the plan continues. */
export function approvalEnded(step: Step, outcome: "passed" | "reject", now: number): Step {
  const ended = followedBy(step, (one) => ({
    ...stepFrom({ ...one, approvalTime: now }),
    log: [endOf(one, outcome)],
  }));
  return followedBy(ended, (one) =>
    outcome === "passed"
      ? startPlanExecution(one, systemActor, now, "approval passed")
      : changeStatus(one, "denied", systemActor, "approval rejected"),
  );
}

function endOf({ name }: Plan, outcome: "passed" | "reject") {
  const detail = outcome === "passed" ? "approval passed" : "approval rejected";
  return { by: systemActor, verb: "update", targetType: "approval", targetName: name, detail } as const;
}

/** Unix seconds after which the approval is void; undefined when it never is, or a job has started under it. */
export function approvalEnds(plan: Plan): number | undefined {
  const { approval, approvalTime, status } = plan;
  if (status !== "executing" || approval?.enabled !== true || approval.status !== "passed") return undefined;
  if (approval.validForMinutes === 0 || hasBegun(plan)) return undefined;
  return approvalTime + approval.validForMinutes * 60;
}

/** @returns the plan back before its approval, when that has become void before any job began */
export function lapse(plan: Plan, now: number): Step | undefined {
  const end = approvalEnds(plan);
  if (end === undefined || now <= end || plan.approval === null) return undefined;
  const cleared = { approval: undecided(plan.approval), approvalTime: 0, executingTime: 0, requester: "" };
  const detail = `no job began within ${plan.approval.validForMinutes} minutes of the approval, which is void`;
  return changeStatus(plan, "finish_planning", systemActor, detail, cleared);
}

/** @returns why execution may not begin before its approval (contract D 2.3) */
export function approvalRefusal({ approval, status }: Plan): Refusal | undefined {
  if (approval === null || !approval.enabled || approval.status === "passed") return undefined;
  const next = status === "wait_for_approval" ? "the approvers have still to decide" : "move it to wait_for_approval";
  return refuse(`approval status is ${approval.status || "not decided"}, can not execute; ${next}`);
}
