/** How a job of the model behaves; `ask` and `checked` wait for somebody. */
export const jobKinds = ["gate", "bad", "lenient", "again", "ask", "checked"] as const;
export type JobKind = (typeof jobKinds)[number];

export interface ModelStage {
  parallel: boolean;
  /** An approval stands before its first job. */
  approval: boolean;
  jobs: JobKind[];
}

export type Ending = "passed" | "failed" | "timeout" | "reject" | "unstable";

/** What somebody decided, by the name of the job task, or of the stage for its approval. */
export type Decided = ReadonlyMap<string, Ending>;

export const stageName = (stage: number): string => `s${stage}`;
export const jobTaskName = (stage: number, job: number): string => `job-${stage}-${job}-0-j${stage}-${job}`;

const highestFirst: readonly Ending[] = ["timeout", "failed", "reject", "passed", "unstable"];
/** "Task status = highest of its stages" has another order than that of a stage (contract W 8.5). */
const highestStageFirst: readonly Ending[] = ["reject", "timeout", "failed", "passed", "unstable"];
const isStop = (ending: Ending): boolean => ending === "timeout" || ending === "failed" || ending === "reject";

export interface Expected {
  /** Endings of the jobs that ran; those that never start are absent. */
  jobs: Map<string, Ending>;
  /** Undefined while somebody still has to decide. */
  status: Ending | undefined;
}

/** What the contract says of a task that nobody cancels, once everything that can run has run (W 8.5, 8.6, 8.7). */
export function expectedOf(stages: readonly ModelStage[], decided: Decided): Expected {
  const jobs = new Map<string, Ending>();
  const ended: Ending[] = [];
  for (const [at, stage] of stages.entries()) {
    const ending = stageOf(at, stage, decided, jobs);
    if (ending === undefined) return { jobs, status: undefined };
    ended.push(ending);
    if (isStop(ending)) break;
  }
  const highest = highestStageFirst.find((one) => ended.includes(one));
  return { jobs, status: highest === "unstable" ? "passed" : highest };
}

function stageOf(at: number, stage: ModelStage, decided: Decided, jobs: Map<string, Ending>): Ending | undefined {
  if (stage.approval) {
    const said = decided.get(stageName(at));
    if (said !== "passed") return said;
  }
  const endings: Ending[] = [];
  let isOpen = false;
  for (const [number, kind] of stage.jobs.entries()) {
    const name = jobTaskName(at, number);
    const ending = jobOf(kind, decided.get(name));
    if (ending === undefined) {
      isOpen = true;
      if (!stage.parallel) break;
      continue;
    }
    jobs.set(name, ending);
    endings.push(ending);
    if (!stage.parallel && isStop(ending)) break;
  }
  return isOpen ? undefined : highestFirst.find((one) => endings.includes(one));
}

function jobOf(kind: JobKind, said: Ending | undefined): Ending | undefined {
  switch (kind) {
    case "gate":
      return "passed";
    case "bad":
    case "again":
      return "failed";
    case "lenient":
      return "unstable";
    default:
      return said;
  }
}
