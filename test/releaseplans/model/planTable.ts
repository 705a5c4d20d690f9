import { expect } from "vitest";
import type { StoredEntry } from "../../../shared/releaseplans/records/planLog.ts";
import type { StoredPlan } from "../../../shared/releaseplans/records/plans.ts";
import type { PlannedTask } from "../../../shared/releaseplans/rules/plan.ts";
import { isTaskFinal } from "../../../shared/workflows/records/rules/status.ts";
import type { Task } from "../../../shared/workflows/records/task.ts";

/** What stands in the table about plans and the tasks that they started. */
export interface SeenPlans {
  plans: readonly StoredPlan[];
  /** Of plans that were deleted, too; in order, by the plan's id. */
  logs: ReadonlyMap<string, readonly StoredEntry[]>;
  owed: readonly { planId: string; cancels: readonly PlannedTask[] }[];
  tasks: readonly Task[];
}

/** Every step that a plan without hooks takes (the last lines are those that nobody asks for). */
const steps = new Set([
  ...["planning > finish_planning", "finish_planning > planning", "finish_planning > wait_for_approval"],
  ...["finish_planning > executing", "wait_for_approval > executing", "wait_for_approval > denied"],
  ...["wait_for_approval > planning", "wait_for_approval > cancel", "denied > planning", "denied > cancel"],
  ...["executing > success", "executing > planning", "executing > cancel", "timeout > planning", "timeout > cancel"],
  ...["cancel > planning", "success > executing"],
  ...["executing > timeout", "executing > finish_planning", "timeout > success"],
]);

/** What holds at every moment, whatever happened and whoever was killed. */
export function checkPlans(seen: SeenPlans): void {
  for (const [planId, log] of seen.logs) {
    const plan = seen.plans.find((one) => one.planId === planId);
    checkLog(log, plan);
    checkTasks(planId, log, seen);
    checkSchedules(log);
  }
}

/** Every transition stands in the log, is one of the table, and leads to where the plan is. */
function checkLog(log: readonly StoredEntry[], plan: StoredPlan | undefined): void {
  expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, at) => at + 1));
  let status: unknown = "planning";
  for (const { targetType, before, after } of log) {
    if (targetType !== "release_plan_status") continue;
    expect(before, "where a transition begins").toBe(status);
    expect(steps, "transitions").toContain(`${before} > ${after}`);
    status = after;
  }
  if (plan === undefined) return;
  expect(plan.status, "what the log leads to").toBe(status);
  expect(plan.logCount).toBe(log.length);
}

/** Each task was started by one entry of the log and each such entry started one; a job has one task at a time. */
function checkTasks(planId: string, log: readonly StoredEntry[], { tasks, owed }: SeenPlans): void {
  const own = tasks.filter(({ releasePlan }) => releasePlan?.planId === planId);
  const nameOf = ({ owner, taskId }: Task) => `${owner.key} ${taskId}`;
  const entries = (verb: string) =>
    log
      .filter((entry) => entry.verb === verb && entry.targetType === "release_job" && /^task \d+ /.test(entry.detail))
      .map(({ targetName, after }) => `${targetName.split("-")[0]} ${(after as { task_id: number }).task_id}`);
  expect(entries("execute").toSorted(), "starts in the log").toEqual(own.map(nameOf).toSorted());
  for (const task of own) {
    const retries = entries("retry").filter((one) => one === nameOf(task)).length;
    expect(task.retryNum, `retries of ${nameOf(task)}`).toBe(retries);
  }
  const letGo = owed.flatMap(({ cancels }) => cancels.map(({ ownerId, taskId }) => `${ownerId} ${taskId}`));
  const running = own.filter(
    ({ owner, taskId, status }) => !isTaskFinal(status) && !letGo.includes(`${owner.id} ${taskId}`),
  );
  const jobs = running.map(({ releasePlan }) => releasePlan?.jobId);
  expect(new Set(jobs).size, "jobs that run twice").toBe(jobs.length);
}

/** A schedule ends at most once in one execution: run, or noted as missed. */
function checkSchedules(log: readonly StoredEntry[]): void {
  let ended = 0;
  for (const { detail, after, targetType } of log) {
    if (targetType === "release_plan_status" && after === "executing") ended = 0;
    if (/the scheduled time has come|the schedule was missed/.test(detail)) ended += 1;
    expect(ended, "times that a schedule ended").toBeLessThanOrEqual(1);
  }
}

/**
 * What holds once nothing is under way any more and every time has come: no schedule was lost, no window is open that has
 * ended, no task is left behind, nobody owes anything.
 * @param now Unix seconds
 */
export function checkRest({ plans, owed, tasks }: SeenPlans, now: number): void {
  expect(owed, "what is owed").toEqual([]);
  expect(
    tasks.filter(({ status }) => !isTaskFinal(status)).map(({ owner, taskId, status }) => [owner.key, taskId, status]),
    "tasks that are left behind",
  ).toEqual([]);
  for (const plan of plans) {
    expect(
      plan.jobs.filter(({ status }) => status === "running").map(({ name }) => name),
      "jobs that wait for nothing",
    ).toEqual([]);
    if (plan.status !== "executing") continue;
    const { endTime, scheduleExecuteTime, scheduleRunTime } = plan;
    expect(endTime !== 0 && endTime < now, "a window that has ended").toBe(false);
    expect(scheduleExecuteTime !== 0 && scheduleRunTime === 0, "a schedule that was lost").toBe(false);
  }
}
