import type { OwnerKind } from "../../../base/common/ownerKey.ts";
import type { JobSpecNotice } from "./jobSpecNotice.ts";
import type { Words } from "./words.ts";

/** Everything that a message about a task needs. Times are Unix seconds, 0 means not yet. */
export interface TaskNotice {
  /** 24 hex characters; with `attempt` it tells one run from the next. */
  taskRecordId: string;
  attempt: number;
  /** What the task is a run of; `id` is that of its record. */
  workflow: { id: string; key: string; displayName: string };
  project: { key: string; displayName: string };
  taskId: number;
  taskType: OwnerKind;
  status: string;
  remark: string;
  error: string;
  creator: { id: string; name: string; email: string };
  createTime: number;
  startTime: number;
  endTime: number;
  stages: readonly StageNotice[];
  /** The stage that waits for approval or manual execution; empty otherwise. */
  pendingStage: string;
  /** Mail addresses of those who may execute the stage that waits, else of those who executed stages by hand. */
  stageExecutors: readonly string[];
  /** There when the notice is about one job and not about the whole task. */
  job?: JobNotice;
  releasePlan?: { id: string; name: string; index: number };
  /** When the event happened. */
  time: number;
  /** The console's address without a slash at the end; links begin with it. */
  baseUrl: string;
  language: Language;
  /** A time zone of IANA (contract W 18: UTC unless the system names one). */
  timeZone: string;
}

export type Language = "en" | "zh";

export interface StageNotice {
  name: string;
  status: string;
  startTime: number;
  endTime: number;
  error: string;
  jobs: readonly JobNotice[];
}

export interface JobNotice {
  /** The job task's name, `job-0-0-0-<job>`. */
  name: string;
  displayName: string;
  type: string;
  /** The type as people read it; absent: it has no words. */
  words?: Words;
  /** Empty: not started. */
  status: string;
  startTime: number;
  endTime: number;
  error: string;
  spec: JobSpecNotice;
}
