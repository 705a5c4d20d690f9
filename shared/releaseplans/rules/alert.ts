import { type Plan, systemActor } from "./plan.ts";
import { type LogTarget, type Step, stepFrom } from "./step.ts";

/** What keeps a plan from going on by itself, so that a person has to know. */
export type AlertEvent = "schedule_missed" | "schedule_frozen" | "start_failed" | "round_given_up";

export interface Alert {
  event: AlertEvent;
  /** For people. */
  detail: string;
}

/**
 * The plan with an alert: the log records it, and everyone whom the plan notifies of anything receives it.
 * @param job the job that the alert is about, when it is not about the plan
 */
export function alerted(plan: Plan, alert: Alert, job?: string): Step {
  const about: { targetType: LogTarget; targetName: string } =
    job === undefined
      ? { targetType: "release_plan", targetName: plan.name }
      : { targetType: "release_job", targetName: job };
  const entry = { by: systemActor, verb: "execute", ...about, detail: alert.detail } as const;
  return { ...stepFrom({ ...plan }), log: [entry], alerts: [alert] };
}
