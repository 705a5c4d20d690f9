import { isJobFinal, type JobEnding, type JobStatus, type StageStatus, stops, type TaskStatus } from "./status.ts";

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

interface JobState {
  name: string;
  status: JobStatus;
}

export interface StageState {
  parallel: boolean;
  status: StageStatus;
  /** The stage has to be executed by hand, and has not been yet. */
  mustBeExecuted: boolean;
  /** What became of the approval before the first job, `open` while it is not decided; absent: there is none. */
  approval?: "open" | "passed" | "reject" | "timeout" | "failed";
  jobs: readonly JobState[];
}

/** What the engine does next; `endings` holds those of finished stages that are not noted yet. */
export type NextStep = { endings: { stage: number; status: StageStatus }[] } & (
  | { do: "jobs"; stage: number; jobs: string[] }
  | { do: "approve"; stage: number }
  | { do: "pause"; stage: number }
  | { do: "end"; status: ReturnType<typeof taskEnding> }
);

/**
 * The step that follows from the state: pure, so that the same state leads to the same step however often it is called,
 * after a crash as well. Stages run strictly in order; one that stops ends the task, and later ones stay as they are
 * (contract W 8.5). A cancelled task ends its open stage as cancelled.
 */
export function nextStep(stages: readonly StageState[], taskStatus: TaskStatus): NextStep {
  const endings: NextStep["endings"] = [];
  const seen: StageStatus[] = [];
  for (const [stage, state] of stages.entries()) {
    const ending = isOver(state.status) ? state.status : endingOf(state, taskStatus === "cancelled");
    if (ending === undefined) {
      if (taskStatus === "cancelled") break;
      return { endings, ...begin(stage, state) };
    }
    if (ending !== state.status) endings.push({ stage, status: ending });
    seen.push(ending);
    if (stops(ending)) break;
  }
  return { endings, do: "end", status: taskStatus === "cancelled" ? "cancelled" : taskEnding(seen) };
}

function isOver(status: StageStatus): boolean {
  return status !== "" && status !== "running" && status !== "wait_for_approval" && status !== "pause";
}

/** How a stage ends; undefined while something of it is still to be done. */
function endingOf(state: StageState, cancelled: boolean): StageStatus | undefined {
  if (state.approval !== undefined && state.approval !== "open" && state.approval !== "passed") return state.approval;
  const ended = state.jobs.map(({ status }) => status).filter(isJobFinal);
  const isAllOver = ended.length === state.jobs.length || isStopped(state, ended);
  if (isAllOver && !state.mustBeExecuted && state.approval !== "open") return stageEnding(ended);
  const hasBegun = state.status !== "";
  return cancelled && hasBegun ? "cancelled" : undefined;
}

/** In a serial stage nothing follows a job that stops; parallel jobs are not stopped by each other. */
function isStopped({ parallel, jobs }: StageState, ended: readonly JobEnding[]): boolean {
  if (!ended.some(stops)) return false;
  return !parallel || jobs.every(({ status }) => isJobFinal(status));
}

function begin(stage: number, state: StageState) {
  if (state.mustBeExecuted) return { do: "pause", stage } as const;
  if (state.approval === "open") return { do: "approve", stage } as const;
  const jobs = state.jobs.filter(({ status }) => !isJobFinal(status)).map(({ name }) => name);
  return { do: "jobs", stage, jobs } as const;
}
