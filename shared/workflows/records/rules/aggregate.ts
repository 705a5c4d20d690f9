import type { JobEnding, StageStatus, TaskStatus } from "./status.ts";

/** The highest one of the jobs is the stage's (contract W 8.5). */
const stageOrder: readonly JobEnding[] = ["cancelled", "timeout", "failed", "reject", "passed", "unstable", "skipped"];

const taskOrder: readonly StageStatus[] = [
  "pause",
  "reject",
  "cancelled",
  "timeout",
  "failed",
  "passed",
  "unstable",
  "skipped",
];

type TaskEnding = Extract<TaskStatus, "pause" | "reject" | "cancelled" | "timeout" | "failed" | "passed">;

/** How a stage ends by how its jobs did; jobs that never started are not given. Without any it is skipped. */
export function stageEnding(jobs: readonly JobEnding[]): JobEnding {
  return stageOrder.find((status) => jobs.includes(status)) ?? "skipped";
}

/** How a task ends by its stages; `unstable` and `skipped` are reported as `passed` (contract W 8.5). */
export function taskEnding(stages: readonly StageStatus[]): TaskEnding {
  const highest = taskOrder.find((status) => stages.includes(status));
  switch (highest) {
    case "pause":
    case "reject":
    case "cancelled":
    case "timeout":
    case "failed":
      return highest;
    default:
      return "passed";
  }
}
