import { mustLack } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { dues, keys, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { overwrite, remove, type Write } from "../../../base/store/writes.ts";
import type { LeftInstance } from "../rules/openRound.ts";
import type { TaskOwner } from "./approvalInstances.ts";

/** An instance that is to be opened; one with `leaves` is to be taken back. There is one for a round at most. */
export interface PendingApproval {
  owner: TaskOwner;
  leaves?: LeftInstance;
}

/** Goes with the write that begins the round. */
export function pendingOpening(owner: TaskOwner): Write {
  return debt({ owner });
}

/** Goes with the write that lets the round go; an instance that was still to be opened no longer is. */
export function pendingWithdrawal(owner: TaskOwner, leaves: LeftInstance): Write {
  return debt({ owner, leaves });
}

function debt({ owner, leaves }: PendingApproval): Write {
  const due = { duePk: dues.approvals, dueSk: `${padded(nowSeconds())}#${owner.key}` };
  const item = { ...keys.approvalDebt(owner.key), type: "approval-debt", owner, ...(leaves && { leaves }) };
  return overwrite({ ...item, ...due });
}

export function findPendingApproval(key: string): Promise<PendingApproval | undefined> {
  return table().get<PendingApproval>(keys.approvalDebt(key));
}

/** It is done. The round may have been let go while its instance was opened: that is owed still. */
export async function removePendingApproval({ owner, leaves }: PendingApproval): Promise<void> {
  const key = keys.approvalDebt(owner.key);
  await tryWrite(table().write(leaves === undefined ? remove(key, mustLack("leaves")) : remove(key)));
}

/** Of all rounds of tasks. */
export async function findOwnersWithPendingApprovals(): Promise<TaskOwner[]> {
  const found = await table().query<object>({ index: "due", pk: dues.approvals });
  const debts = await Promise.all(found.map(({ pk, sk }) => table().get<PendingApproval>({ pk, sk })));
  return debts.flatMap((one) => one?.owner ?? []);
}
