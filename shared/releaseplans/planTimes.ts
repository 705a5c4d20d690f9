import { invokeLater } from "../base/aws/functions/invokeLater.ts";
import { putSchedule } from "../base/aws/schedules/timedEvents.ts";
import { config } from "../base/settings/config.ts";
import { nowSeconds } from "../base/store/ids.ts";
import type { PlanTime, TimedPlan } from "./rules/times.ts";

/** EventBridge Scheduler is precise to a minute: it calls this much earlier, and the function sleeps until the second. */
const earlySeconds = 60;
/** What is nearer than this is waited for at once. */
const nearSeconds = 90;
/** A time that comes late is told of in the plan's log, so it is handed over however late it is, for a day. */
const longestDelaySeconds = 86_400;

export function scheduleName({ planId, round }: { planId: string; round: number }, what: PlanTime): string {
  return `plan-${planId}-${round}-${what}`;
}

/** Lets the follower be called at a time of a plan; making it again replaces it. */
export async function setTime(plan: { planId: string; round: number }, { what, at }: TimedPlan): Promise<void> {
  const event = { planId: plan.planId, what, at };
  if (at - nowSeconds() < nearSeconds) return invokeLater("plan-follower", event);
  const called = new Date((at - earlySeconds) * 1000).toISOString().slice(0, 19);
  await putSchedule({
    ...{ name: scheduleName(plan, what), expression: `at(${called})`, timeZone: "UTC" },
    ...{ target: config().SLIPWAY_PLAN_FOLLOWER_ARN, event, longestDelaySeconds },
  });
}
