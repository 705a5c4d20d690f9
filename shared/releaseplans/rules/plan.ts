import type { KeptLimits } from "../../access/identity/rules/grants.ts";
import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import type { VendorQuestion, VendorRound } from "../../integrations/approvals/rules/vendorApproval.ts";
import type { Approver } from "../../workflows/records/rules/approval.ts";
import type { TaskActor } from "../../workflows/records/task.ts";
import type { PlanJobStatus, PlanStatus } from "./status.ts";

/** Who acts on a plan. */
export type PlanActor = TaskActor;

/** The actor when no user asked: schedules, windows, ends of tasks. */
export const systemActor: PlanActor = { uid: "", name: "System", account: "" };

/** An entry of the list of approvers as it was saved: a user, or a group that is expanded when the approval starts. */
export interface NamedApprover {
  type: "user" | "group";
  id: string;
  name: string;
}

/** The approval of a plan (contract D 2.1). */
export interface PlanApproval {
  enabled: boolean;
  /** Empty: not decided; cancelled: the chat service will no longer decide it. */
  status: "" | "passed" | "reject" | "cancelled";
  description: string;
  startTime: number;
  endTime: number;
  /** Minutes, as clients send it; an approval waits however long it takes. */
  timeout: number;
  neededApprovers: number;
  named: readonly NamedApprover[];
  /** Everybody who may decide in this round, with what they said; empty until the approval starts. */
  approvers: readonly Approver[];
  /** Of the round: a new one each time that the approval starts. */
  instanceCode: string;
  /** Who moved the plan to its approval, or edited it since planning began, does not decide. */
  forbidSelfApproval: boolean;
  /** Minutes after which an approval that no job has started under is void; 0: never. */
  validForMinutes: number;
  /** People of a chat service decide, and not users of this installation. */
  vendor?: VendorQuestion & { round: VendorRound };
}

/** How the jobs of a plan run (by default nothing starts by itself and a failed job stops nothing). */
export interface PlanSettings {
  autoExecute: boolean;
  /** Jobs that run at once when they start by themselves; 0: any number. */
  concurrency: number;
  stopOnFailure: boolean;
  rollbackOnFailure: boolean;
}

export const defaultSettings: PlanSettings = {
  ...{ autoExecute: false, concurrency: 0, stopOnFailure: false, rollbackOnFailure: false },
};

/** What a job of the type `workflow` runs. Its definition, inputs and credentials are the spec. */
export interface PlannedWorkflow {
  /** 24 hex characters of the workflow's record: one made again under its key is another. */
  id: string;
  key: string;
  displayName: string;
  projectKey: string;
  /** Of the token that saved the job (decisions 17.7); absent: none. */
  limits?: KeptLimits;
  /** Undefined before the first run, and when planning begins again after one that did not pass. */
  taskId?: number;
  /** Status of the task as the plan heard of it last; `prepare` until then. */
  taskStatus?: string;
}

/** A task that a plan started. */
export interface PlannedTask {
  ownerId: string;
  taskId: number;
}

/** A job of a plan; names are unique where one depends on another. */
export interface PlanJob {
  /** uuid */
  id: string;
  name: string;
  type: "text" | "workflow";
  /** The user who may act on it besides the plan's manager; empty: none. */
  managerId: string;
  manager: string;
  /** Names of jobs that must be done or skipped before. */
  dependsOn: readonly string[];
  status: PlanJobStatus;
  /** What it was before planning began again. */
  lastStatus: PlanJobStatus;
  /** Edited since then, so that it runs again. */
  updated: boolean;
  executedBy: string;
  executedTime: number;
  remark: StoredText;
  /** Of a text job what is to be done; of a workflow job what it runs, with its credentials sealed. */
  spec: StoredText;
  /** Of workflow jobs. */
  workflow?: PlannedWorkflow;
}

/** Events at which an external system is told, or asked (contract D 2.13). */
export const hookEvents = ["finish_planning", "start_execute", "all_job_done"] as const;
export type HookEvent = (typeof hookEvents)[number];

/** What of the hooks' setting the plan goes by: a snapshot of its last edit. */
export interface PlanHooks {
  enable: boolean;
  enableCallBack: boolean;
  events: readonly HookEvent[];
}

/** The rollback of a plan. The outcome of each service is kept with what the plan deployed. */
export interface PlanRollback {
  /** How often this round was rolled back. */
  attempt: number;
  by: PlanActor;
  startedAt: number;
  over: boolean;
}

/** Who is told of a plan, as workflows have it. */
export interface PlanNotify {
  /** The statuses that someone is notified of. */
  statuses: readonly PlanStatus[];
  /** JSON of the settings: sealed, and as people see them. */
  kept: StoredText;
}

/** A release plan (contract D 2.1). Times are Unix seconds, 0 before. */
export interface Plan {
  /** 24 hex characters. */
  planId: string;
  /** From one counter of the installation; never given twice. */
  index: number;
  /** Edits so far, from 1. */
  edition: number;
  /** Rises when planning is left, at a retry out of `success` and at each continuation: one machine a round. */
  round: number;
  name: string;
  manager: string;
  managerId: string;
  description: StoredText;
  startTime: number;
  endTime: number;
  scheduleExecuteTime: number;
  createdBy: string;
  createdAt: number;
  updatedBy: string;
  updatedAt: number;
  /** As clients send it. */
  jiraSprintAssociation: unknown;
  approval: PlanApproval | null;
  settings: PlanSettings;
  notify: PlanNotify | null;
  jobs: readonly PlanJob[];
  status: PlanStatus;
  planningTime: number;
  finishPlanningTime: number;
  approvalTime: number;
  executingTime: number;
  successTime: number;
  /** 16 hex characters that name the planned content, for external systems. */
  instanceCode: string;
  hooks: PlanHooks | null;
  finishPlanningCheckTime: number;
  approveCheckTime: number;
  executeCheckTime: number;
  allDoneCheckTime: number;
  checkFailedReason: string;
  callbackDescription: string;
  /** uids of those who edited since planning began. */
  editors: readonly string[];
  /** uid of who moved it to its approval; empty before. */
  requester: string;
  /** Who made the last status call: what starts by itself runs as this user. */
  lastCaller: PlanActor;
  /** As whom jobs start by themselves in this round; null: they do not. */
  starting: PlanActor | null;
  /** When the schedule of this round was run, or found missed. */
  scheduleRunTime: number;
  /** What was said of freezes that hold at the schedule; absent: nothing. */
  freezesTold?: readonly string[];
  /** Null until the round is rolled back. */
  rollback: PlanRollback | null;
}
