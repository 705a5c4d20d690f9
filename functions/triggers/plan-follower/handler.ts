import * as z from "zod";
import { lookAtInstance } from "../../../shared/approvals/askVendor.ts";
import { planAsker } from "../../../shared/releaseplans/planAsker.ts";
import { planTimes } from "../../../shared/releaseplans/rules/times.ts";
import { settleOwed } from "../../../shared/releaseplans/settleOwed.ts";
import { timeHasCome } from "../../../shared/releaseplans/timeHasCome.ts";

const planId = z.string();
const followerEvent = z.union([
  z.strictObject({ planId, what: z.enum(planTimes), at: z.int() }),
  z.strictObject({ planId, look: z.string() }),
  z.strictObject({ planId }),
]);

/**
 * Does what follows when a release plan changed, or when a time of it comes: told by whoever changed it, by the scheduler
 * and by the reconciler. Everything may be done twice.
 */
export async function handler(event: unknown): Promise<void> {
  const given = followerEvent.parse(event);
  if ("look" in given) await lookAtInstance(planAsker(given.planId, given.look));
  if ("what" in given) await timeHasCome(given.planId, given);
  await settleOwed(given.planId);
}
