import type { KeptLimits } from "../../access/identity/rules/grants.ts";
import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import type { OwnerKind } from "../../base/common/ownerKey.ts";
import type { GivenQuestion } from "../../integrations/approvals/rules/givenQuestion.ts";
import type { VendorType } from "../../integrations/approvals/rules/vendorApproval.ts";
import type { ReportedCommit } from "../../integrations/notify/rules/commitStatus.ts";
import type { Used } from "../../reports/costs/rules/used.ts";
import type { WorkflowParam } from "../definition/definition.ts";
import type { LegacyTask } from "./legacyTask.ts";
import type { Approval } from "./rules/approval.ts";
import type { JobEnding, JobStatus, StageStatus, TaskStatus } from "./rules/status.ts";
import type { TaskApproval } from "./rules/taskApproval.ts";
import type { Spent } from "./rules/usedByTask.ts";

/** What a task is a run of. Tests and scans run as tasks of their own kind (contract W 12, 13). */
export interface TaskOwner {
  kind: OwnerKind;
  /** 24 hex characters of the record: one made again under the same key has another (decisions 7.1). */
  id: string;
  /** On the wire `workflow_key`: the workflow's key, or that of a test or a scan in its place. Unique. */
  key: string;
  /** Shown name. */
  name: string;
  projectKey: string;
}

/** Ends an owner's tasks. Code that deletes owners receives it from code that may start tasks. */
export type CancelTasks = (ownerId: string) => Promise<void>;

/** Who starts, cancels or decides. */
export interface TaskActor {
  uid: string;
  name: string;
  account: string;
  /** Of the token that was used (decisions 17.7); absent: none. */
  limits?: KeptLimits;
}

/** One run of a workflow: what changes as a whole. Times are Unix seconds, 0 before. */
export interface Task {
  owner: TaskOwner;
  taskId: number;
  /** 24 hex characters; executions are named `<recordId>-<attempt>` (decisions 7.1). */
  recordId: string;
  status: TaskStatus;
  /** Executions of the state machine so far. */
  attempt: number;
  /** Retries so far: older records of jobs and stages no longer count unless they are kept (contract W 8.8). */
  retryNum: number;
  /** Place in the queue, milliseconds; rises with the number within an owner. */
  position: number;
  creator: TaskActor;
  /** The creator until the task is cancelled (contract W 4.1). */
  revoker: string;
  createTime: number;
  startTime: number;
  endTime: number;
  remark: string;
  error: string;
  /** Why freezes do not count for it, given by a user with that right; empty or absent when they do. */
  overrideReason?: string;
  /** The job of a release plan that it was started for. */
  releasePlan?: { planId: string; jobId: string; name: string; index: number };
  /** Of one that a change of a repository started: the commit at which code hosts show how it goes, and under which name. */
  commit?: ReportedCommit;
  /** How many tasks led to it, each by a job or a trigger that started the next one; absent: none. */
  depth?: number;
  /** It is so large that its machine makes the plan of it (docs/decisions/0214), which is not done yet. */
  unplanned?: boolean;
  /** Of one that the older API created. */
  legacy?: LegacyTask;
  /** W3C `traceparent` of the request that started it, or that retried it; absent where no traces are collected. */
  traceparent?: string;
  /** It counts against the limits: set by the dispatch, unset by the end or a pause. */
  holdsSlot: boolean;
  /** The counter that its slot is counted in; absent of one that a release before shards dispatched. */
  slot?: number;
  /** What follows the end is done: notifications sent, successors started. */
  concluded: boolean;
  /** What it had used when it last gave its slot back; absent before. */
  spent?: Spent;
}

/** What a job is to do, fixed when the task was created; texts keep the variables that are not known yet. */
export interface JobPlan {
  /** `job-<stage>-<job>-<sub>-<job name>` */
  name: string;
  key: string;
  displayName: string;
  originName: string;
  type: string;
  jobInfo: Record<string, string>;
  /** What task detail shows of the job, by type, in the spelling of the wire (contract W 4.4). */
  spec: Record<string, unknown>;
  /** What the job needs to run beside it; never shown. */
  run: Record<string, unknown>;
  errorPolicy: JobErrorPolicy | null;
  executePolicy: { type: string; matchRule: string; rules: { field: string; verb: string; value: string }[] } | null;
  /** After this the job is ended as timed out. */
  timeoutSeconds: number;
  /** Per-job notifications, as the definition has them. */
  notifyCtls: unknown[];
}

export interface JobErrorPolicy {
  policy: string;
  maximumRetry: number;
  /** uids of those who may decide about an error; groups and the starter were replaced by users. */
  approverIds: string[];
  /** As the definition has it. */
  stated: Record<string, unknown>;
}

export interface StagePlan {
  name: string;
  parallel: boolean;
  jobs: JobPlan[];
  /** As the definition has it; null when the stage needs no execution by hand. */
  manualExec: ManualExecPlan | null;
  approval: StageApprovalPlan | null;
}

export interface ManualExecPlan {
  executorIds: string[];
  stated: Record<string, unknown>;
}

export interface StageApprovalPlan {
  timeoutMinutes: number;
  type: string;
  description: string;
  /** The approval before the first decision. */
  approval: Approval;
  /** A chat service is asked, and not users of this installation. */
  asks?: { type: VendorType; given: GivenQuestion };
}

/** What a task does, as it was when the task was created or last retried. */
export interface TaskPlan {
  stages: StagePlan[];
  /** Parameters as rendered at start, in the spelling of the wire; values of credentials are not in them. */
  params: WorkflowParam[];
  notifyCtls: unknown[];
  /** Variables made of what is known while the task runs alone, each after those that it may hold. */
  lateVariables?: readonly (readonly [path: string, value: string])[];
}

/** What the task was started with, for a retry and for what the definition's copies are asked for. */
export interface TaskSnapshot {
  definition: StoredText;
  /** The start call's arguments, sealed. */
  arguments: StoredText;
}

export interface StoredPlan {
  plan: StoredText;
}

export interface StageRecord {
  stage: number;
  retryNum: number;
  status: StageStatus;
  startTime: number;
  endTime: number;
  error: string;
  approval?: TaskApproval;
  /** Unix seconds: the approval ends as timed out then. */
  approvalDeadline?: number;
  executedBy?: TaskActor;
  /** Of the state machine that waits for the approval. */
  taskToken?: string;
}

/** A user keeps a step of a rollout where it is. Times are Unix seconds. */
export interface Hold {
  by: TaskActor;
  since: number;
  /** The step ends as timed out then. */
  until: number;
}

/** How a job ended, before its error policy is asked. */
export interface JobEnd {
  ending: JobEnding;
  error: string;
  outputs: Record<string, string>;
  result: Record<string, unknown>;
  /** What its pod held. */
  used?: Used;
}

export interface JobRecord {
  name: string;
  stage: number;
  retryNum: number;
  /** 24 hex characters; executions are named `<jobId>-<attempt>`. */
  jobId: string;
  attempt: number;
  status: JobStatus;
  startTime: number;
  endTime: number;
  error: string;
  /** Automatic retries (contract W 8.7). */
  retryCount: number;
  outputs: Record<string, string>;
  /** What the run adds to the plan's spec: an image, numbers of a report, events. */
  result: Record<string, unknown>;
  /** What the pods of its tries held; absent where there was none. */
  used?: Used;
  /** Of the machine `job` while it waits for what it started, or for a decision. */
  taskToken?: string;
  /** Of the machine `workflow-task`, which waits for the job. */
  stageToken?: string;
  /** Set where approvers decide. */
  approval?: TaskApproval;
  /** How what it started ended; the last step makes a status of it. */
  ended?: JobEnd;
  /** How the job's container ended, and when in Unix seconds, while something is awaited that follows from it outside. */
  halfway?: { end: JobEnd; since: number };
  /** `ended` or `halfway` is kept, and what was started may still have to be taken away. */
  leaving?: true;
  /** Of one that copies images: when a registry last confirmed something, in Unix seconds. */
  progressAt?: number;
  /** What it has said so far, each line with its time in front, where no container says it; then its log is stored. */
  lines?: string[];
  /** How far it is at another system, so that a later call continues there. */
  outside?: Record<string, unknown>;
  /** How it ended before the error policy asked for a decision. */
  heldEnding?: "failed" | "timeout";
  /** Until when users may decide about the error, in Unix seconds; then it ends as it did. */
  decisionDeadline?: number;
  /** While it is held it does not begin or, once it has started, does not end in a way that lets the task continue. */
  hold?: Hold;
  /** Where the hold has stopped it: before it begins, or after its work is done. */
  stands?: "before" | "after";
  /** When a user last let it continue, in Unix seconds. */
  promotedAt?: number;
  errorHandler?: TaskActor;
  errorDecision?: "ignore" | "reject";
  /** The machinery failed, and not what the job does (decisions 18.6). */
  failure?: "platform";
}
