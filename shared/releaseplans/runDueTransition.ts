import { setTimeout as sleep } from "node:timers/promises";
import { nowSeconds } from "../base/store/ids.ts";
import { changePlan } from "./changePlan.ts";
import { notifyOfFreezes } from "./notifyOfFreezes.ts";
import { setTime } from "./planTimes.ts";
import { findPlan } from "./records/plans.ts";
import { stepFrom } from "./rules/step.ts";
import { isLookAhead, type TimedPlan, timeCame } from "./rules/times.ts";

const lookMilliseconds = 1000;
/** A call that the scheduler makes a minute early comes two minutes before the second; it is not worth another call. */
const longestSleepMilliseconds = 150_000;

/**
 * Waits for the second of a time of the plan, then changes the plan as that time asks. May be repeated. The clock may
 * be put forwards or back meanwhile: it is checked every second, and a time that is far off again is scheduled again.
 */
export async function runDueTransition(planId: string, time: TimedPlan): Promise<void> {
  const left = () => time.at * 1000 - Date.now();
  while (left() > 0 && left() <= longestSleepMilliseconds) await sleep(Math.min(left(), lookMilliseconds));
  const stored = await findPlan(planId);
  if (stored === undefined) return;
  if (left() > 0) return setTime(stored, time);
  if (isLookAhead(time)) return notifyOfFreezes(planId);
  await changePlan(planId, (plan) => timeCame(plan, time, nowSeconds()) ?? stepFrom(plan));
}
