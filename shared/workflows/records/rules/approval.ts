/** An approver's decision, as on the wire; empty before it is made (contract W 8.6). */
export type Decision = "" | "approve" | "reject";

/** Minutes that an approval waits when its definition says 0 (contract W 8.6). */
export const defaultApprovalMinutes = 60;

export interface Approver {
  userId: string;
  userName: string;
  decision: Decision;
  comment: string;
  /** Unix seconds; 0 before the decision. */
  decidedAt: number;
}

/** An approval by users of Slipway; groups were replaced by their members when the task was created. */
export interface Approval {
  neededApprovers: number;
  approvers: readonly Approver[];
}

/**
 * Any reject decides at once, otherwise as many approvals as are needed, and always one (decisions 19.1). Undefined while
 * it is open.
 */
export function approvalOutcome({ neededApprovers, approvers }: Approval): "passed" | "reject" | undefined {
  if (approvers.some(({ decision }) => decision === "reject")) return "reject";
  const approvals = approvers.filter(({ decision }) => decision === "approve").length;
  return approvals >= Math.max(neededApprovers, 1) ? "passed" : undefined;
}

/**
 * The approval with what one approver says; each decides once.
 * @returns a sentence for the caller when they may not decide (contract W 2.8)
 */
export function decided(
  approval: Approval,
  by: { uid: string; name: string },
  said: { approve: boolean; comment: string; at: number },
): Approval | string {
  const own = approval.approvers.find(({ userId }) => userId === by.uid);
  if (own === undefined) return `user ${by.name} has no authority to Approve`;
  if (own.decision !== "") return `${by.name} have ${own.decision} already`;
  const decision: Decision = said.approve ? "approve" : "reject";
  const approvers = approval.approvers.map((approver) =>
    approver === own ? { ...own, decision, comment: said.comment, decidedAt: said.at } : approver,
  );
  return { ...approval, approvers };
}
