import { expect } from "vitest";
import { workflowName } from "./modelWorkflow.ts";
import type { Seen } from "./modelWorld.ts";
import type { Execution } from "./playedMachines.ts";
import type { TaskRun } from "./taskRun.ts";

interface Moment {
  before: Seen;
  now: Seen;
  run: TaskRun;
  executions: readonly Execution[];
}

/** What holds at every moment, whatever happened and whoever was killed (contract W 8.1, 8.4). */
export function checkInvariants(moment: Moment): void {
  checkNumbers(moment);
  checkLimits(moment);
  checkOrder(moment);
  checkExecutions(moment);
}

function keysOf({ run }: Moment): string[] {
  return run.workflows.map((_, number) => workflowName(number));
}

function checkNumbers(moment: Moment): void {
  for (const key of keysOf(moment)) {
    const numbers = moment.now.tasks.filter(({ task }) => task.owner.key === key).map(({ task }) => task.taskId);
    expect(
      numbers.toSorted((a, b) => a - b),
      `numbers of ${key}`,
    ).toEqual(numbers.map((_, at) => at + 1));
  }
}

function checkLimits({ now, run }: Moment): void {
  const held = now.tasks.filter(({ task }) => task.holdsSlot).map(({ task }) => task);
  const active = now.tasks.filter(({ task }) => task.status === "queued" || task.status === "running");
  for (const { task } of active) expect(task.holdsSlot, `the slot of ${task.owner.key} #${task.taskId}`).toBe(true);
  expect(held.length, "running tasks").toBeLessThanOrEqual(run.installationLimit);
  expect(now.running, "slots that are counted").toBe(held.length);
  for (const [number, { limit }] of run.workflows.entries()) {
    const own = held.filter(({ owner }) => owner.key === workflowName(number));
    if (limit >= 0) expect(own.length, `running tasks of ${workflowName(number)}`).toBeLessThanOrEqual(limit);
    const [first] = own;
    if (first !== undefined) expect(now.runningOf.get(first.owner.id)).toBe(own.length);
  }
  expect(now.queued, "places in the queue").toBe(now.tasks.filter(({ task }) => task.status === "waiting").length);
}

/** Whoever waited longer was not overtaken within the workflow. */
function checkOrder(moment: Moment): void {
  const { before, now } = moment;
  for (const key of keysOf(moment)) {
    const waited = before.tasks.filter(({ task }) => task.owner.key === key && task.status === "waiting");
    const nowOf = (taskId: number) => now.tasks.find(({ task }) => task.owner.key === key && task.taskId === taskId);
    const begun = waited.filter(({ task }) => (nowOf(task.taskId)?.task.attempt ?? 0) > task.attempt);
    const left = waited.filter(({ task }) => nowOf(task.taskId)?.task.status === "waiting");
    for (const { task } of begun)
      for (const other of left) expect(task.position, `order of ${key}`).toBeLessThan(other.task.position);
  }
}

/** A job runs once at a time; of a task the execution before may still find out that another one has its place. */
function checkExecutions({ executions }: Moment): void {
  const jobs = executions.filter(({ kind, status }) => kind === "job" && status === "RUNNING");
  const ids = jobs.map(({ name }) => name.split("-")[0]);
  expect(new Set(ids).size, "executions of one job").toBe(ids.length);
}
