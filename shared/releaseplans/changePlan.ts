import { ApiError } from "../base/errors/apiError.ts";
import { table } from "../base/store/table.ts";
import { conflictedOn } from "../base/store/tableClient.ts";
import { writeWithEffects } from "./records/pendingEffects.ts";
import { planWrites, requirePlan, type StoredPlan } from "./records/plans.ts";
import { isRefusal, type Refusal, type Step } from "./rules/step.ts";

/** Who loses a write reads again, for as long as the gateway waits with room to spare; fifty at once all come through. */
const maxMilliseconds = 15_000;
const maxPauseMilliseconds = 400;
const pauseGrowthMilliseconds = 15;

/**
 * Changes the current plan: reads it, decides, and writes what the decision says on condition that no other call wrote
 * meanwhile; a call that loses decides again.
 * @param edition the one that the caller saw; undefined: whatever it is now
 * @returns the plan as it is now
 * @throws ApiError 404; what the decision refuses with, or 409 when it was allowed at first and another call was faster
 */
export function changePlan(
  planId: string,
  decide: (plan: StoredPlan) => Step | Refusal | Promise<Step | Refusal>,
  edition?: number,
): Promise<Step> {
  return contested(planId, edition, async (before, refused) => {
    const outcome = await decide(before);
    if (isRefusal(outcome)) throw await refused(outcome);
    if (outcome.plan !== before) await writeStep(before, outcome);
    return outcome;
  });
}

/**
 * As `changePlan`, for a change that is written by `work`, whose write of the plan is the first of `planWrites`.
 * @param work is given what makes an error of a refusal
 */
export async function contested<T>(
  planId: string,
  edition: number | undefined,
  work: (before: StoredPlan, refused: (refusal: Refusal) => Promise<ApiError>) => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  for (let tries = 1; ; tries++) {
    const before = await requirePlan(planId);
    if (edition !== undefined && before.edition !== edition)
      throw new ApiError(409, `version: the plan is at version ${before.edition}, not ${edition}; read it again`);
    try {
      return await work(before, (refusal) => errorOf(before, refusal, tries > 1));
    } catch (error) {
      if (!conflictedOn(error, "release plan")) throw error;
      if (performance.now() - begun > maxMilliseconds)
        throw new ApiError(409, "too many change the plan at the same moment; try again");
      const maxPause = Math.min(tries * pauseGrowthMilliseconds, maxPauseMilliseconds);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * maxPause));
    }
  }
}

/** Stores a step, and lets what follows from it be done. */
export function writeStep(before: StoredPlan, step: Step): Promise<void> {
  return writeWithEffects(before, step, () => table().write(...planWrites(before, step)));
}

/** What a refusal is to its caller; what changes nevertheless is stored first. */
async function errorOf(before: StoredPlan, { status, refused, meanwhile }: Refusal, wasAllowed: boolean) {
  if (meanwhile !== undefined) await writeStep(before, meanwhile);
  if (!wasAllowed || status === 403) return new ApiError(status, refused);
  return new ApiError(409, `another call changed the plan at the same moment: ${refused}`);
}
