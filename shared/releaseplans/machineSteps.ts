import { removeSchedule } from "../base/aws/schedules/timedEvents.ts";
import { log } from "../base/settings/log.ts";
import { changePlan } from "./changePlan.ts";
import { scheduleName, setTime } from "./planTimes.ts";
import { findPlan } from "./records/plans.ts";
import { putPlanWait } from "./records/planWaits.ts";
import { alerted } from "./rules/alert.ts";
import { isUnderWay } from "./rules/machine.ts";
import { stepFrom } from "./rules/step.ts";
import { planTimes, timesOf } from "./rules/times.ts";
import { settlePlanWait } from "./settlePlanWait.ts";

/** A round of a plan: what one execution of the machine waits for. */
interface Round {
  planId: string;
  round: number;
}

/** Notes the token, then checks whether the plan is already further: a call that changed it before found no token. */
export async function awaitPlan(until: "start" | "end", wait: Round & { taskToken: string }): Promise<void> {
  const { planId, round, taskToken } = wait;
  await putPlanWait({ planId, round, until, taskToken });
  await settlePlanWait(planId);
}

/** Execution has started: sets the times at which something happens by itself. */
export async function armPlan({ planId, round }: Round): Promise<void> {
  const plan = await findPlan(planId);
  if (plan === undefined || plan.round !== round) return;
  for (const time of timesOf(plan)) await setTime(plan, time);
}

/** The round has ended: removes its schedules. */
export async function concludeRound({ planId, round }: Round): Promise<void> {
  for (const what of planTimes) await removeSchedule(scheduleName({ planId, round }, what));
}

/** A wait has lasted as long as one may: the round goes on as the next one, with a machine of its own. */
export async function continueRound({ planId, round }: Round): Promise<void> {
  await concludeRound({ planId, round });
  const plan = await findPlan(planId);
  if (plan === undefined || plan.round !== round || !isUnderWay(plan)) return;
  await changePlan(planId, (now) => stepFrom(now.round === round ? { ...now, round: round + 1 } : now));
}

/** The machine could not go on; people have to know that nothing of this round happens by itself. */
export async function giveUpRound({ planId, round }: Round, error: string): Promise<void> {
  log.error("release plan given up", { planId, round, internal: error });
  const plan = await findPlan(planId);
  if (plan === undefined) return;
  await changePlan(planId, (now) => {
    const detail = "the schedule and the window of this round are not watched any more; execute the jobs by hand";
    return now.round === round ? alerted(now, { event: "round_given_up", detail }) : stepFrom(now);
  });
}
