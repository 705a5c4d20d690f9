import type { OpenRound } from "../../../integrations/approvals/rules/openRound.ts";
import { type RoundNews, roundAfter } from "../../../integrations/approvals/rules/roundNews.ts";
import { unasked, type VendorQuestion, vendorNames } from "../../../integrations/approvals/rules/vendorApproval.ts";
import { type Approval, approvalOutcome } from "./approval.ts";

/** People of a chat service decide, and not users of this installation. */
export interface VendorApproval extends OpenRound {
  /** Empty before the decision; failed: there will be none. */
  outcome: "" | "passed" | "reject" | "failed";
  /** Why it failed. */
  error: string;
}

/** The approval of a job or of a stage. */
export interface TaskApproval extends Approval {
  vendor?: VendorApproval;
  /** Of one by users of this installation: why it can no longer be decided. */
  error?: string;
}

/** A round of asking a chat service, before it was asked. @param since Unix seconds */
export function newRound(key: string, question: VendorQuestion, text: string, since: number): TaskApproval {
  const vendor = { key, question, text, since, round: unasked, outcome: "" as const, error: "" };
  return { neededApprovers: 0, approvers: [], vendor };
}

/** Undefined while it is open. */
export function taskApprovalOutcome(approval: TaskApproval): "passed" | "reject" | "failed" | undefined {
  if (approval.vendor === undefined) return approval.error === undefined ? approvalOutcome(approval) : "failed";
  return approval.vendor.outcome === "" ? undefined : approval.vendor.outcome;
}

/** Why an approval failed; empty for one that did not. */
export function approvalError({ vendor, error }: TaskApproval): string {
  return vendor?.error ?? error ?? "";
}

/** Statuses of jobs and stages whose approval counts; a job says that it waits a moment after it began to. */
const asking: readonly string[] = ["prepare", "running", "wait_for_approval"];

/** The round that a job or a stage waits for. @param key undefined when it is another one; left out: of any */
export function openRoundOf(
  { status, approval }: { status: string; approval?: TaskApproval },
  key?: string,
): VendorApproval | undefined {
  const vendor = approval?.vendor;
  if (vendor === undefined || vendor.outcome !== "" || !asking.includes(status)) return undefined;
  return key === undefined || vendor.key === key ? vendor : undefined;
}

/**
 * A round with its news. One that the chat service refuses for good, or that will no longer be decided there, fails:
 * the task can be retried, and then asks again.
 * @returns undefined when the news comes too late; the same object when it brings nothing new
 */
export function receiveRoundNews(vendor: VendorApproval, news: RoundNews, now: number): VendorApproval | undefined {
  const round = roundAfter(vendor.round, news, now);
  if (round === undefined) return undefined;
  const next = round === vendor.round ? vendor : { ...vendor, round };
  const name = vendorNames[vendor.question.type];
  if (news.what === "refused")
    return { ...next, outcome: "failed", error: `the approval cannot be opened in ${name}: ${news.problem}` };
  if (news.what !== "heard") return next;
  switch (news.state.status) {
    case "open":
      return next;
    case "approved":
      return { ...next, outcome: "passed" };
    case "rejected":
      return { ...next, outcome: "reject" };
    case "revoked":
      return {
        ...next,
        outcome: "failed",
        error: `the approval was taken back in ${name}: nobody decides it any more`,
      };
    case "gone":
      return { ...next, outcome: "failed", error: `the approval was deleted in ${name}: nobody decides it any more` };
  }
}
