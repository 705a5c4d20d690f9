import { type LeftInstance, leaving, type OpenRound } from "../../integrations/approvals/rules/openRound.ts";
import { type RoundNews, roundAfter } from "../../integrations/approvals/rules/roundNews.ts";
import {
  type ApprovalState,
  type VendorDecision,
  type VendorRound,
  vendorNames,
} from "../../integrations/approvals/rules/vendorApproval.ts";
import { approvalEnded, undecided } from "./approval.ts";
import { changeStatus } from "./changeStatus.ts";
import { type Plan, type PlanApproval, systemActor } from "./plan.ts";
import { type LogEntry, type Step, stepFrom } from "./step.ts";

export type VendorApproval = PlanApproval & { vendor: NonNullable<PlanApproval["vendor"]> };

/** The plan's approval while a chat service decides about it. @param code of the round; left out: of any */
export function openVendorApproval({ status, approval }: Plan, code?: string): VendorApproval | undefined {
  if (status !== "wait_for_approval" || approval?.enabled !== true || approval.vendor === undefined) return undefined;
  if (approval.status !== "" || (code !== undefined && approval.instanceCode !== code)) return undefined;
  return approval as VendorApproval;
}

/** The round of an approval that a chat service decides. */
export function openRound(plan: Plan, { instanceCode, vendor }: VendorApproval): Omit<OpenRound, "text"> {
  const { round, ...question } = vendor;
  return { question, round, key: `${plan.planId}-${instanceCode}`, since: plan.finishPlanningTime };
}

/** What is to be taken back after a plan has become another, or has gone. */
export function leftInstance(before: Plan, after: Plan | undefined): LeftInstance | undefined {
  const approval = openVendorApproval(before);
  if (approval === undefined) return undefined;
  const isDecided = after !== undefined && after.approval?.status !== "";
  if (isDecided || (after !== undefined && openVendorApproval(after, approval.instanceCode) !== undefined))
    return undefined;
  const left = leaving(openRound(before, approval));
  // The function that was opening it led the plan back to this status, because it was refused.
  return after?.status === "finish_planning" ? { ...left, busyUntil: 0 } : left;
}

/**
 * The plan with news of its round: opened, tried again, refused, or decided. A final refusal by the chat service leads
 * back to where the plan was before, so that its manager may ask again.
 * @returns undefined when the round has ended, or the news comes too late
 */
export function receiveRoundNews(plan: Plan, code: string, news: RoundNews, now: number): Step | undefined {
  const approval = openVendorApproval(plan, code);
  const before = approval?.vendor.round;
  const round = before && roundAfter(before, news, now);
  if (approval === undefined || before === undefined || round === undefined) return undefined;
  const step = stepFrom(round === before ? plan : withRound(plan, approval, round));
  const name = vendorNames[approval.vendor.type];
  switch (news.what) {
    case "opening":
      return step;
    case "opened":
      return { ...step, log: [entryOf(plan, `opened in ${name} as ${news.code}`)] };
    case "delayed": {
      const detail = `cannot be opened in ${name} yet and is tried again: ${news.problem}`;
      // Once is enough to say why it takes longer.
      return before.problem === "" ? { ...step, log: [entryOf(plan, detail)] } : step;
    }
    case "refused": {
      const detail = `the approval cannot be opened in ${name}: ${news.problem}`;
      const cleared = { approval: undecided(approval), requester: "" };
      return changeStatus(plan, "finish_planning", systemActor, detail, cleared);
    }
    case "heard":
      return decidedElsewhere(step, approval, news.state, now);
  }
}

/** The instance stays at the chat service, although the plan has let it go. */
export function notTakenBack(plan: Plan, problem: string): Step {
  // A copy: only what has changed is stored, and here that is the log.
  return { ...stepFrom({ ...plan }), log: [entryOf(plan, `the approval cannot be taken back: ${problem}`)] };
}

/** @param approval as it was before */
function decidedElsewhere(
  { plan }: Step,
  approval: VendorApproval,
  { status, decisions }: ApprovalState,
  now: number,
): Step {
  const { type, round } = approval.vendor;
  const log = decisions.slice(round.decisions.length).map((one) => said(plan, approval, one));
  const heard: Step = { ...stepFrom(plan), log };
  switch (status) {
    case "open":
      return heard;
    case "approved":
    case "rejected": {
      const outcome = status === "approved" ? "passed" : "reject";
      return approvalEnded({ ...heard, plan: withStatus(plan, outcome) }, outcome, now);
    }
    default: {
      const what = status === "revoked" ? "was taken back" : "was deleted";
      const detail = `${what} in ${vendorNames[type]}: nobody decides it any more; plan again, or cancel the plan`;
      return { ...heard, plan: withStatus(plan, "cancelled"), log: [...log, entryOf(plan, detail)] };
    }
  }
}

function withRound(plan: Plan, approval: VendorApproval, round: VendorRound): Plan {
  return { ...plan, approval: { ...approval, vendor: { ...approval.vendor, round } } };
}

function withStatus(plan: Plan, status: PlanApproval["status"]): Plan {
  return { ...plan, approval: plan.approval && { ...plan.approval, status } };
}

function said(plan: Plan, { vendor }: VendorApproval, { personId, decision, comment }: VendorDecision): LogEntry {
  const known = vendor.nodes.flatMap(({ people }) => people).find(({ id }) => id === personId);
  const who = known?.name || personId;
  const what = decision === "approve" ? "approved" : "rejected";
  return entryOf(plan, `${what} in ${vendorNames[vendor.type]} by ${who}${comment === "" ? "" : `: ${comment}`}`);
}

function entryOf({ name }: Plan, detail: string): LogEntry {
  return { by: systemActor, verb: "update", targetType: "approval", targetName: name, detail };
}
