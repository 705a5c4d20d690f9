import { describe, expect, test } from "vitest";
import { stageEnding, taskEnding } from "../../../../../shared/workflows/records/rules/nextStep.ts";
import type { JobEnding, StageStatus } from "../../../../../shared/workflows/records/rules/status.ts";

/** From the highest to the lowest, as contract W 8.5 orders them. */
const jobsFromTop: JobEnding[] = ["cancelled", "timeout", "failed", "reject", "passed", "unstable", "skipped"];
const stagesFromTop: StageStatus[] = [
  "pause",
  "reject",
  "cancelled",
  "timeout",
  "failed",
  "passed",
  "unstable",
  "skipped",
];

function pairs<T>(fromTop: readonly T[]): [T, T][] {
  return fromTop.flatMap((higher, at) => fromTop.slice(at).map((lower): [T, T] => [higher, lower]));
}

describe("a stage ends as the highest of its jobs (contract W 8.5)", () => {
  test.each(pairs(jobsFromTop))("%s beside %s", (higher, lower) => {
    expect(stageEnding([higher, lower])).toBe(higher);
    expect(stageEnding([lower, higher])).toBe(higher);
  });

  test("only unstable jobs make it unstable, none that ran make it skipped", () => {
    expect(stageEnding(["unstable", "unstable"])).toBe("unstable");
    expect(stageEnding([])).toBe("skipped");
  });
});

describe("a task ends as the highest of its stages (contract W 8.5)", () => {
  const reported = (status: StageStatus): StageStatus =>
    status === "unstable" || status === "skipped" ? "passed" : status;

  test.each(pairs(stagesFromTop))("%s beside %s", (higher, lower) => {
    expect(taskEnding([higher, lower])).toBe(reported(higher));
    expect(taskEnding([lower, higher])).toBe(reported(higher));
  });
});
