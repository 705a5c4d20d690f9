import { mustLack } from "../../store/conditions.ts";
import { nowSeconds } from "../../store/ids.ts";
import { dues, keys, padded } from "../../store/keys.ts";
import { table } from "../../store/theTable.ts";
import { unlessLost } from "../../store/unlessLost.ts";
import { overwrite, remove, type Write } from "../../store/writes.ts";
import type { LeftInstance } from "../rules/openRound.ts";
import type { TaskOwner } from "./approvalInstances.ts";

/** An instance that is to be opened; one with `leaves` is to be taken back. There is one for a round at most. */
export interface ApprovalDebt {
  owner: TaskOwner;
  leaves?: LeftInstance;
}

/** Goes with the write that begins the round. */
export function oweOpening(owner: TaskOwner): Write {
  return debt({ owner });
}

/** Goes with the write that lets the round go; what was still to be opened is not any more. */
export function oweLeaving(owner: TaskOwner, leaves: LeftInstance): Write {
  return debt({ owner, leaves });
}

function debt({ owner, leaves }: ApprovalDebt): Write {
  const due = { duePk: dues.approvals, dueSk: `${padded(nowSeconds())}#${owner.key}` };
  const item = { ...keys.approvalDebt(owner.key), type: "approval-debt", owner, ...(leaves && { leaves }) };
  return overwrite({ ...item, ...due });
}

export function findDebt(key: string): Promise<ApprovalDebt | undefined> {
  return table().get<ApprovalDebt>(keys.approvalDebt(key));
}

/** It is done. The round may have been let go while its instance was opened: that is owed still. */
export async function forgetDebt({ owner, leaves }: ApprovalDebt): Promise<void> {
  const key = keys.approvalDebt(owner.key);
  await unlessLost(table().write(leaves === undefined ? remove(key, mustLack("leaves")) : remove(key)));
}

/** Of all rounds of tasks. */
export async function approvalsOwed(): Promise<TaskOwner[]> {
  const found = await table().query<object>({ index: "due", pk: dues.approvals });
  const debts = await Promise.all(found.map(({ pk, sk }) => table().get<ApprovalDebt>({ pk, sk })));
  return debts.flatMap((one) => one?.owner ?? []);
}
