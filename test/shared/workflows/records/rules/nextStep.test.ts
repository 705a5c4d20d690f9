import { describe, expect, test } from "vitest";
import { nextStep, type StageState } from "../../../../../shared/workflows/records/rules/nextStep.ts";
import type { JobStatus } from "../../../../../shared/workflows/records/rules/status.ts";

const stage = (jobs: JobStatus[], more: Partial<StageState> = {}): StageState => ({
  parallel: false,
  status: jobs.some((status) => status !== "") ? "running" : "",
  mustBeExecuted: false,
  jobs: jobs.map((status, at) => ({ name: `job-${at}`, status })),
  ...more,
});
const parallel = (...jobs: JobStatus[]) => stage(jobs, { parallel: true });
const serial = (...jobs: JobStatus[]) => stage(jobs);
const next = (...stages: StageState[]) => nextStep(stages, "running");

describe("what comes next in a task (contract W 8.5, 8.6)", () => {
  test("the first stage begins with all its jobs", () => {
    expect(next(serial("", ""), serial(""))).toEqual({
      endings: [],
      do: "jobs",
      stage: 0,
      jobs: ["job-0", "job-1"],
    });
  });

  test("the next stage begins when every job of the one before ended", () => {
    expect(next(parallel("passed", "unstable"), serial(""))).toMatchObject({
      endings: [{ stage: 0, status: "passed" }],
      do: "jobs",
      stage: 1,
    });
  });

  test.each(["failed", "timeout", "reject", "cancelled"] as const)(
    "a serial stage is over with the first job that is %s; what is behind stays",
    (status) => {
      expect(next(serial(status, ""), serial(""))).toEqual({
        endings: [{ stage: 0, status }],
        do: "end",
        status,
      });
    },
  );

  test("a parallel stage waits for all jobs, whatever one of them did", () => {
    expect(next(parallel("failed", ""))).toMatchObject({ endings: [], do: "jobs", jobs: ["job-1"] });
    expect(next(parallel("failed", "running"))).toMatchObject({ do: "jobs", jobs: ["job-1"] });
    expect(next(parallel("failed", "passed"))).toMatchObject({ do: "end", status: "failed" });
  });

  test("unstable and skipped jobs let a serial stage go on", () => {
    expect(next(serial("unstable", "skipped", ""))).toMatchObject({ do: "jobs", jobs: ["job-2"] });
    expect(next(serial("unstable"))).toMatchObject({ endings: [{ status: "unstable" }], do: "end", status: "passed" });
    expect(next(serial("skipped"))).toMatchObject({ endings: [{ status: "skipped" }], do: "end", status: "passed" });
  });

  test("a stage that somebody executes pauses the task, and then runs", () => {
    expect(next(stage([""], { mustBeExecuted: true }))).toMatchObject({ do: "pause", stage: 0 });
    expect(next(stage([""]))).toMatchObject({ do: "jobs" });
  });

  test("an approval stands before the first job; rejected or out of time no job starts", () => {
    expect(next(stage([""], { approval: "open" }))).toMatchObject({ do: "approve", stage: 0 });
    expect(next(stage([""], { approval: "passed" }))).toMatchObject({ do: "jobs", jobs: ["job-0"] });
    for (const approval of ["reject", "timeout"] as const)
      expect(next(stage([""], { approval, status: "wait_for_approval" }))).toEqual({
        endings: [{ stage: 0, status: approval }],
        do: "end",
        status: approval,
      });
  });

  test("somebody executes a stage before it is approved", () => {
    const both = { mustBeExecuted: true, approval: "open" } as const;
    expect(next(stage([""], both))).toMatchObject({ do: "pause" });
  });

  test("what is noted already is not noted again", () => {
    expect(next({ ...serial("passed"), status: "passed" }, serial(""))).toMatchObject({ endings: [], stage: 1 });
    expect(next({ ...serial("failed"), status: "failed" }, serial(""))).toEqual({
      endings: [],
      do: "end",
      status: "failed",
    });
  });

  test("a cancelled task ends its open stage as cancelled and begins nothing", () => {
    expect(nextStep([serial("passed", ""), serial("")], "cancelled")).toEqual({
      endings: [{ stage: 0, status: "cancelled" }],
      do: "end",
      status: "cancelled",
    });
    expect(nextStep([serial("")], "cancelled")).toEqual({ endings: [], do: "end", status: "cancelled" });
  });
});
