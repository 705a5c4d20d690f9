import * as z from "zod";
import { lookAtInstance } from "../../../shared/integrations/approvals/requestApproval.ts";
import { flushPendingEffects } from "../../../shared/releaseplans/flushPendingEffects.ts";
import { planAsker } from "../../../shared/releaseplans/planAsker.ts";
import { planTimes } from "../../../shared/releaseplans/rules/times.ts";
import { runDueTransition } from "../../../shared/releaseplans/runDueTransition.ts";

const planId = z.string();
const followerEvent = z.union([
  z.strictObject({ planId, what: z.enum(planTimes), at: z.int() }),
  z.strictObject({ planId, look: z.string() }),
  z.strictObject({ planId }),
]);

/**
 * Does what follows when a release plan changed, or when a time of it comes: called by the function that changed it, by
 * the scheduler and by the reconciler. Everything may be done twice.
 */
export async function handler(event: unknown): Promise<void> {
  const given = followerEvent.parse(event);
  if ("look" in given) await lookAtInstance(planAsker(given.planId, given.look));
  if ("what" in given) await runDueTransition(given.planId, given);
  await flushPendingEffects(given.planId);
}
