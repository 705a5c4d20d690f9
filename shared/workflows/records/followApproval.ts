import { lookAtInstance, openInstance, takeBack } from "../../approvals/requestApproval.ts";
import type { TaskOwner } from "../../approvals/store/approvalInstances.ts";
import { findPendingApproval, removePendingApproval } from "../../approvals/store/pendingApprovals.ts";
import { taskAsker } from "./taskAsker.ts";

/** Opens or takes back what is owed of a round; with `looks` its instance is looked up. May be repeated. */
export async function followApproval(owner: TaskOwner, looks: boolean): Promise<void> {
  const asker = taskAsker(owner);
  if (looks) await lookAtInstance(asker);
  const debt = await findPendingApproval(owner.key);
  if (debt === undefined) return;
  const isDone = await (debt.leaves === undefined ? openInstance(asker) : takeBack(asker, debt.leaves));
  if (isDone) await removePendingApproval(debt);
  if (!isDone || debt.leaves !== undefined) return;
  // Withdrawn while it was opened here: no other process works on it.
  const { leaves } = (await findPendingApproval(owner.key)) ?? {};
  if (leaves !== undefined && (await takeBack(asker, { ...leaves, busyUntil: 0 })))
    await removePendingApproval({ owner, leaves });
}
