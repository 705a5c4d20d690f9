import { dateTime } from "../../base/common/dateTime.ts";
import { changeStatus } from "./changeStatus.ts";
import { type Plan, systemActor } from "./plan.ts";
import type { Step } from "./step.ts";

type Times = Pick<Plan, "startTime" | "endTime" | "scheduleExecuteTime">;

/** A window is none only when both of its bounds are 0. */
function hasWindow({ startTime, endTime }: Times): boolean {
  return startTime !== 0 || endTime !== 0;
}

/** A schedule that was missed by no more is run all the same (contract D 2.11). */
export const longestMissSeconds = 30;

/** Why a schedule can no longer come; undefined when it can, and when there is none. @param now Unix seconds */
export function missedSchedule({ scheduleExecuteTime: at }: Times, now: number): string | undefined {
  if (at === 0 || at >= now - longestMissSeconds) return undefined;
  return `${dateTime(at)} is past; choose a later time, or 0 for none`;
}

/** @returns what is wrong with the times of a plan, by the field; undefined when nothing is (contract D 2.7) */
export function timesProblem(times: Times, now: number): { field: string; problem: string } | undefined {
  const { startTime, endTime, scheduleExecuteTime } = times;
  if (hasWindow(times) && endTime <= startTime) {
    const problem = `must be later than start_time ${startTime}; send 0 for both when there is no window`;
    return { field: "end_time", problem };
  }
  const isOutside = hasWindow(times) && (scheduleExecuteTime < startTime || scheduleExecuteTime > endTime);
  const field = "schedule_execute_time";
  if (scheduleExecuteTime !== 0 && isOutside)
    return { field, problem: `must be inside the window from ${startTime} to ${endTime}, or 0` };
  const problem = missedSchedule(times, now);
  return problem === undefined ? undefined : { field, problem };
}

/** Whether jobs may be acted on now; both bounds are inside (contract D 2.11). */
export function isInsideWindow(plan: Times, now: number): boolean {
  return !hasWindow(plan) || (now >= plan.startTime && now <= plan.endTime);
}

/** @returns the sentence for a caller that acts on a job of a plan outside of its window (contract D 2.9) */
export function outsideWindow({ startTime, endTime }: Times): string {
  return `plan is not in the release time range: it goes from ${dateTime(startTime)} to ${dateTime(endTime)}`;
}

/** @returns the plan timed out, when it is executing and its window has ended; tasks that run go on */
export function endWindow(plan: Plan, now: number): Step | undefined {
  if (plan.status !== "executing" || plan.endTime === 0 || now <= plan.endTime) return undefined;
  return changeStatus(plan, "timeout", systemActor, "the release window has ended");
}
