import * as z from "zod";
import { followApproval } from "../../../shared/workflows/records/followApproval.ts";

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
