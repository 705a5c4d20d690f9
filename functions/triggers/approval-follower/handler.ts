import * as z from "zod";
import { lookAtInstance, openInstance, takeBack } from "../../../shared/integrations/approvals/requestApproval.ts";
import type { TaskOwner } from "../../../shared/integrations/approvals/store/approvalInstances.ts";
import {
  findPendingApproval,
  removePendingApproval,
} from "../../../shared/integrations/approvals/store/pendingApprovals.ts";
import { taskAsker } from "../../../shared/workflows/records/taskAsker.ts";

const round = { key: z.string(), ownerId: z.string(), taskId: z.int(), look: z.literal(true).optional() };
const followerEvent = z.union([
  z.strictObject({ ...round, job: z.string() }),
  z.strictObject({ ...round, stage: z.int() }),
]);

/**
 * Asks a chat service for the approval of a job or a stage, takes it back, and looks up its state: called when a round
 * begins or ends, by callbacks, by the scheduler and by the reconciler. Everything may be done twice.
 */
export async function handler(event: unknown): Promise<void> {
  const { look = false, ...owner } = followerEvent.parse(event);
  await followApproval(owner, look);
}

/** Opens or takes back what is owed of a round; with `looks` its instance is looked up. May be repeated. */
async function followApproval(owner: TaskOwner, looks: boolean): Promise<void> {
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
