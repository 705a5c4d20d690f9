import { expect, test } from "vitest";
import { controlPlane } from "../../../shared/reports/costs/rules/controlPlane.ts";
import { timesUsed, together, type WholeUse } from "../../../shared/reports/costs/rules/used.ts";
import type { WholeTask } from "../../../shared/workflows/records/findTasks.ts";
import { spending, usedByTask } from "../../../shared/workflows/records/rules/usedByTask.ts";

const stage = (index: number, retryNum: number) => ({ stage: index, retryNum, startTime: 1 });
const job = (name: string, retryNum: number, cpuMilliSeconds: number, startTime = 1) => ({
  ...{ name, retryNum, startTime, retryCount: 0 },
  used: { cpuMilliSeconds },
});
const whole = (task: object, stages: object[], jobs: object[]) => ({ task, stages, jobs }) as unknown as WholeTask;

test("what is counted at a pause, an end and the end of a retry is together what the task used", () => {
  const counted: WholeUse[] = [];
  const release = (one: WholeTask) => {
    const { spent, used } = spending(one);
    counted.push(used);
    expect(together(...counted)).toEqual(usedByTask(one));
    return spent;
  };
  // A stage that is paused at has a record and no job yet.
  const first = [stage(0, 0), stage(1, 0)];
  const paused = release(whole({ attempt: 1, retryNum: 0 }, first, [job("build", 0, 5000)]));
  const jobs = [job("build", 0, 5000), job("test", 0, 700)];
  const ended = release(whole({ attempt: 2, retryNum: 0, spent: paused }, first, jobs));
  // The retry keeps the build, replaces the test and has a job that never began.
  const second = [stage(0, 0), stage(1, 1)];
  const again = [job("build", 0, 5000), job("test", 1, 300), job("later", 1, 0, 0)];
  release(whole({ attempt: 3, retryNum: 1, spent: ended }, second, again));
  expect(counted.map(({ cpuMilliSeconds }) => cpuMilliSeconds)).toEqual([5000, 700, 300]);
  const { transitions } = together(
    timesUsed(controlPlane.execution, 3),
    timesUsed(controlPlane.stage, 3),
    timesUsed(controlPlane.job, 3),
  );
  expect(together(...counted).transitions).toBe(transitions);
});

test("while a retry waits, a task has used what it had used before", () => {
  const { spent } = spending(whole({ attempt: 1, retryNum: 0 }, [stage(0, 0)], [job("build", 0, 5000)]));
  const waiting = whole({ attempt: 1, retryNum: 1, spent }, [stage(0, 0)], [job("build", 0, 5000)]);
  expect(usedByTask(waiting).cpuMilliSeconds).toBe(5000);
  expect(usedByTask(waiting).transitions).toBe(4 + 3 + 5);
});
