/** Status of a task, one run of a workflow (contract W 8.2). `created` is seen only during the start call. */
export const taskStatuses = [
  "created",
  "waiting",
  "queued",
  "running",
  "pause",
  "passed",
  "failed",
  "timeout",
  "cancelled",
  "reject",
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Status of a stage; empty before it starts (contract W 8.2, 8.6). */
export const stageStatuses = [
  "",
  "running",
  "wait_for_approval",
  "passed",
  "failed",
  "timeout",
  "cancelled",
  "reject",
  "pause",
  "unstable",
  "skipped",
] as const;
export type StageStatus = (typeof stageStatuses)[number];

/** Status of a job of a task; empty before it starts (contract W 8.2). */
export const jobStatuses = [
  "",
  "prepare",
  "running",
  "wait_for_approval",
  "wait_for_manual_error_handling",
  "passed",
  "failed",
  "timeout",
  "cancelled",
  "reject",
  "unstable",
  "skipped",
] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** How a job ends. */
export type JobEnding = Extract<
  JobStatus,
  "passed" | "failed" | "timeout" | "cancelled" | "reject" | "unstable" | "skipped"
>;

export type TaskEvent = "dispatch" | "begin" | "pause" | "execute" | "finish" | "cancel" | "retry";

/** From which status an event may come (contract W 8.3); what is not listed is refused. */
const accepting: Readonly<Record<TaskEvent, readonly TaskStatus[]>> = {
  dispatch: ["waiting"],
  begin: ["queued"],
  pause: ["running"],
  execute: ["pause"],
  finish: ["queued", "running"],
  cancel: ["created", "waiting", "queued", "running", "pause"],
  retry: ["failed", "timeout", "cancelled", "reject"],
};

/** Every status in which an event is accepted: the condition of its conditional write. */
export function taskStatusesAccepting(event: TaskEvent): readonly TaskStatus[] {
  return accepting[event];
}

export function isTaskFinal(status: TaskStatus): boolean {
  return taskStatusesAccepting("retry").includes(status) || status === "passed";
}

const jobEndings: readonly JobStatus[] = ["passed", "failed", "timeout", "cancelled", "reject", "unstable", "skipped"];

export function isJobFinal(status: JobStatus): status is JobEnding {
  return jobEndings.includes(status);
}

/** Statuses that a job has while it is under way. */
export const openJobStatuses = jobStatuses.filter((status) => !isJobFinal(status));

/** What a retry keeps of the run before: whole stages, and jobs of the others (contract W 8.8). */
export function isKeptByRetry(status: JobStatus | StageStatus): boolean {
  return status === "passed" || status === "skipped" || status === "unstable";
}

/** Endings after which nothing behind starts: serial jobs of the stage, later stages (contract W 8.5). */
export function stops(status: JobStatus | StageStatus): boolean {
  return ["cancelled", "failed", "timeout", "reject", "pause"].includes(status);
}
