import { type Alert, alerted } from "./alert.ts";
import { approvalEnds, lapse } from "./approval.ts";
import { noted } from "./noted.ts";
import { type Plan, systemActor } from "./plan.ts";
import type { PlanStatus } from "./status.ts";
import { type Step, stepFrom } from "./step.ts";
import { endWindow, isInsideWindow, longestMissSeconds } from "./window.ts";

/**
 * What happens to an executing plan by itself: its window opens or ends, its schedule comes, its approval lapses; a day and
 * an hour before its schedule it is looked whether a freeze will hold then.
 */
export const planTimes = ["open", "schedule", "window", "lapse", "dayBefore", "hourBefore"] as const;
export type PlanTime = (typeof planTimes)[number];

/** A time of a plan, Unix seconds. */
export interface TimedPlan {
  what: PlanTime;
  at: number;
}

/** Everything that an executing plan has to be told of by the clock. */
export function timesOf(plan: Plan): TimedPlan[] {
  if (plan.status !== "executing") return [];
  const { startTime, endTime, scheduleExecuteTime, scheduleRunTime, executingTime, starting } = plan;
  const lapses = approvalEnds(plan);
  const isScheduled = scheduleExecuteTime !== 0 && scheduleRunTime === 0;
  const looks = [
    { what: "dayBefore" as const, at: scheduleExecuteTime - 24 * 3600 },
    { what: "hourBefore" as const, at: scheduleExecuteTime - 3600 },
  ];
  return [
    ...(starting !== null && startTime > executingTime ? [{ what: "open" as const, at: startTime }] : []),
    ...(isScheduled ? [{ what: "schedule" as const, at: scheduleExecuteTime }] : []),
    // Of what lies before the execution began, the freezes were looked at when it did.
    ...(isScheduled ? looks.filter(({ at }) => at > executingTime) : []),
    // Both bounds are inside.
    ...(endTime === 0 ? [] : [{ what: "window" as const, at: endTime + 1 }]),
    ...(lapses === undefined ? [] : [{ what: "lapse" as const, at: lapses + 1 }]),
  ];
}

/** Whether a time is for looking at what will stand in the way of the schedule. */
export function isLookAhead({ what }: TimedPlan): boolean {
  return what === "dayBefore" || what === "hourBefore";
}

/** @returns the plan when one of its times has come; undefined when that time no longer has a meaning */
export function timeCame(plan: Plan, { what, at }: TimedPlan, now: number): Step | undefined {
  switch (what) {
    case "open":
    case "dayBefore":
    case "hourBefore":
      return undefined;
    case "schedule":
      return runSchedule(plan, at, now);
    case "window":
      return endWindow(plan, now);
    case "lapse":
      return lapse(plan, now);
  }
}

/**
 * The schedule of a plan, at most once: all its workflow jobs that are not done, skipped or running start from here on, as
 * the system. One that was missed by more than 30 seconds is not run, and the log says so.
 */
function runSchedule(plan: Plan, at: number, now: number): Step | undefined {
  if (plan.status !== "executing" || plan.scheduleExecuteTime !== at || plan.scheduleRunTime !== 0) return undefined;
  const late = now - at;
  const ran = { ...plan, scheduleRunTime: now };
  const entry = { by: systemActor, verb: "execute", targetType: "release_plan", targetName: plan.name } as const;
  const missed = late > longestMissSeconds || !isInsideWindow(plan, now);
  if (missed) {
    const detail = `the schedule was missed by ${late} seconds and is not run; execute the jobs by hand`;
    return alerted(ran, { event: "schedule_missed", detail });
  }
  const jobs = plan.jobs.map((job) =>
    job.type === "workflow" && job.status === "failed" ? ({ ...job, status: "todo" } as const) : job,
  );
  const detail = "the scheduled time has come";
  return { ...stepFrom({ ...ran, jobs, starting: systemActor }), log: [{ ...entry, detail }] };
}

/** Jobs no longer start by themselves, because one of them could not be started. */
export function startFailed(plan: Plan, jobName: string, reason: string): Step {
  const alert: Alert = { event: "start_failed", detail: `could not be started: ${reason}` };
  return alerted({ ...plan, starting: null }, alert, jobName);
}

const ended: readonly PlanStatus[] = ["success", "cancel", "timeout"];

/** Whether the jobs of a plan are to start by themselves at a time that has not come. */
export function isScheduled({ status, scheduleExecuteTime, scheduleRunTime }: Plan, now: number): boolean {
  return scheduleExecuteTime > now && scheduleRunTime === 0 && !ended.includes(status);
}

/** @returns the plan that was told that freezes will hold at its schedule, or hold no more; undefined when it knows */
export function freezesSeen(plan: Plan, sentences: readonly string[]): Step | undefined {
  const known = plan.freezesTold ?? [];
  if (JSON.stringify(known) === JSON.stringify(sentences)) return undefined;
  const next = { ...plan, freezesTold: sentences };
  if (sentences.length === 0) return noted(next, "no freeze holds at the scheduled time any more");
  return alerted(next, { event: "schedule_frozen", detail: sentences.join("; ") });
}
