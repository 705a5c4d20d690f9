import type { SealedSecret } from "../../../base/aws/secrets/sealedSecret.ts";
import type { TaskStatus } from "../../records/rules/status.ts";
import type { TaskActor } from "../../records/task.ts";

/** What starts workflows by itself, by the segment of its paths; tasks that it starts have it as their creator's name (contract W 16). */
export const triggerKinds = ["generalhook", "jirahook", "cron", "webhook", "workflowhook"] as const;
export type TriggerKind = (typeof triggerKinds)[number];

/** Whose rights it starts with, and the limits of the token that saved it (decisions 17.7). */
export type TriggerSaver = Pick<TaskActor, "uid" | "name" | "limits">;

/** What all kinds have. */
export interface TriggerBase {
  name: string;
  workflowKey: string;
  /** A workflow made again under its key has another one, and none of these (decisions 7.1). */
  workflowId: string;
  projectKey: string;
  enabled: boolean;
  description: string;
  /** What the task is started with, sealed: it may bring credentials. */
  given: SealedSecret;
  /** The same as people are shown it, with stars. */
  shown: Readonly<Record<string, unknown>>;
  /** With whose rights it starts tasks: who saved it last. */
  savedBy: TriggerSaver;
  /** Unix seconds. */
  savedAt: number;
}

/** Anybody who knows the secret starts it. */
export interface GeneralHook extends TriggerBase {
  kind: "generalhook";
  secret: SealedSecret;
}

/** What happens to issues of Jira starts it, reported by a caller who knows the secret. */
export interface JiraHook extends TriggerBase {
  kind: "jirahook";
  secret: SealedSecret;
  /** As Jira calls them, such as `jira:issue_updated`; empty: every one. */
  events: readonly string[];
  /** Keys of projects; empty: every one. */
  projects: readonly string[];
}

export interface CronTrigger extends TriggerBase {
  kind: "cron";
  /** Five fields. */
  cron: string;
  /** A name of IANA. */
  timeZone: string;
  /** Number of the settings: what was timed by older ones counts no more. */
  revision: number;
  /** The scheduler does not know these settings yet. */
  unsynced: boolean;
  /** It goes once the scheduler knows it no more. */
  removed?: true;
}

export const gitEvents = [
  "push",
  "tag",
  "pull_request",
  "pull_request_opened",
  "pull_request_updated",
  "pull_request_merged",
] as const;
export type GitEventName = (typeof gitEvents)[number];

/** Something that happens in a repository of a code host starts it. */
export interface GitTrigger extends TriggerBase {
  kind: "webhook";
  codeHostId: string;
  namespace: string;
  repository: string;
  /** `pull_request` is opened or updated. */
  events: readonly GitEventName[];
  /** Of the branch that is pushed or merged into, with `*` and `?`; empty: every one. */
  branch: string;
  /** `branch` is a regular expression. */
  isRegular?: boolean;
  /** Of the files that a push or a pull request changes; those with `!` do not count. Empty: every one. */
  folders: readonly string[];
  /** New commits of a pull request end the run of its former ones. */
  cancelsOlder?: boolean;
  /** Pull requests from other repositories start it, too. */
  allowsForks?: boolean;
}

/** How a task of the workflow before ends when this one is to start. */
export const followedEndings = ["passed", "failed", "timeout", "cancelled", "reject"] as const satisfies TaskStatus[];
export type FollowedEnding = (typeof followedEndings)[number];

/** The end of a task of another workflow starts it. */
export interface WorkflowHook extends TriggerBase {
  kind: "workflowhook";
  /** One made again under the key is not followed. */
  after: { workflowId: string; workflowKey: string };
  endings: readonly FollowedEnding[];
}

export type Trigger = GeneralHook | JiraHook | CronTrigger | GitTrigger | WorkflowHook;

/** What a sealed part of a trigger is bound to. */
export function sealedFor({ workflowId, kind, name }: Pick<Trigger, "workflowId" | "kind" | "name">, field: string) {
  return { record: `trigger:${workflowId}:${kind}:${name}`, field };
}
