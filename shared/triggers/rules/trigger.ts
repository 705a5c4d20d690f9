import type { SealedSecret } from "../../aws/secrets/sealedSecret.ts";

/** What starts workflows by itself, by the segment of its paths; tasks that it starts have it as their creator's name (contract W 16). */
export const triggerKinds = ["generalhook", "cron"] as const;
export type TriggerKind = (typeof triggerKinds)[number];

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
  savedBy: { uid: string; name: string };
  /** Unix seconds. */
  savedAt: number;
}

/** Anybody who knows the secret starts it. */
export interface GeneralHook extends TriggerBase {
  kind: "generalhook";
  secret: SealedSecret;
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

export type Trigger = GeneralHook | CronTrigger;

/** What a sealed part of a trigger is bound to. */
export function sealedFor({ workflowId, kind, name }: Pick<Trigger, "workflowId" | "kind" | "name">, field: string) {
  return { record: `trigger:${workflowId}:${kind}:${name}`, field };
}
