import { dateTime } from "../base/common/dateTime.ts";
import { mapBounded } from "../base/common/mapBounded.ts";
import { nowSeconds } from "../base/store/ids.ts";
import { freezesBetween, windowAt } from "../projects/freezes/rules/windows.ts";
import { findFreezes } from "../projects/freezes/store/freezes.ts";
import { freezeSentence } from "../projects/freezes/words.ts";
import { changePlan } from "./changePlan.ts";
import { placesAhead } from "./preview/placesAhead.ts";
import { findPlan } from "./records/plans.ts";
import { type Plan, systemActor } from "./rules/plan.ts";
import { stepFrom } from "./rules/step.ts";
import { freezesSeen, isScheduled } from "./rules/times.ts";

const jobsAtOnce = 8;
/**
 * Why jobs of a plan will not start at its schedule, one sentence a freeze; empty when nothing is known against it. A job
 * that cannot be planned now tells of no freeze.
 */
export async function freezesAtSchedule(plan: Plan): Promise<string[]> {
  const at = plan.scheduleExecuteTime;
  if (!isScheduled(plan, nowSeconds())) return [];
  const range = { from: at, to: at + 1, most: 1 };
  const freezes = await findFreezes();
  if (freezes.every(({ times }) => windowAt(times, at) === undefined)) return [];
  const met = new Map<string, { sentence: string; jobs: string[] }>();
  const places = await mapBounded(plan.jobs, jobsAtOnce, (job) => placesAhead(plan, job, systemActor));
  for (const [index, { name }] of plan.jobs.entries())
    for (const one of freezesBetween(freezes, places[index] ?? [], range)) {
      const { jobs = [] } = met.get(one.freeze.freezeId) ?? {};
      met.set(one.freeze.freezeId, { sentence: freezeSentence(one), jobs: [...jobs, name] });
    }
  const time = dateTime(at);
  return [...met.values()].map(
    ({ sentence, jobs: names }) => `at the scheduled time ${time} ${names.join(", ")} will not start: ${sentence}`,
  );
}

/** Tells people when freezes will hold at the schedule of a plan, each time once. May be repeated. */
export async function notifyOfFreezes(planId: string): Promise<void> {
  const found = await findPlan(planId);
  if (found === undefined) return;
  const sentences = await freezesAtSchedule(found);
  const isSame = (plan: Plan) =>
    isScheduled(plan, nowSeconds()) && plan.scheduleExecuteTime === found.scheduleExecuteTime;
  await changePlan(planId, (plan) => (isSame(plan) ? freezesSeen(plan, sentences) : undefined) ?? stepFrom(plan));
}
