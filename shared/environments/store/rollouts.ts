import { both, mustBeOneOf } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { dues, keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { create, remove, update } from "../../base/store/writes.ts";

/** Where a workload is. */
export interface WorkloadPlace {
  clusterId: string;
  namespace: string;
  kind: string;
  name: string;
}

/**
 * How far a rollout is: the new pods exist beside the workload (`deployed`), have the traffic while they are looked at
 * (`tried`) and while the workload is rolled (`shifted`), the workload is new (`released`); `returning` takes it all
 * back; `over` has nothing left but the ownership.
 */
export type RolloutPhase = "deployed" | "tried" | "shifted" | "released" | "returning" | "over";

/**
 * New pods wait beside the former ones (`blue-green`), share their traffic (`canary`), take their place step by step
 * (`gray`), or get a share of the calls in a mesh (`istio`).
 */
export type RolloutMode = "blue-green" | "canary" | "gray" | "istio";

/** How far a gray release is. */
export interface GrayStep {
  /** The job that made it so. */
  job: string;
  /** Per cent of the pods that are new. */
  scale: number;
  /** Pods of the workload before the release. */
  total: number;
  /** Former pods that this step keeps, and those of before it. */
  kept: number;
  keptBefore: number;
}

/** How far a release by Istio is. */
export interface IstioStep {
  /** The job that made it so. */
  job: string;
  /** Pods of the workload. */
  total: number;
  /** Per cent of the calls that routes lead to the new pods; 0 while they lead as they did before. */
  weight: number;
}

/** Who rolls out a workload, and what is needed to finish that or to take it back (decisions 12.1). */
export interface Rollout extends WorkloadPlace {
  /** Absent in records of before there were two. */
  mode?: RolloutMode;
  /** The task, see `rolloutOwner`. */
  owner: string;
  ownerId: string;
  taskId: number;
  workflowKey: string;
  /** The job that deploys. */
  job: string;
  projectKey: string;
  envKey: string;
  production: boolean;
  environmentId: string;
  /** Empty for a workload that no service of the environment applied. */
  service: string;
  phase: RolloutPhase;
  /** Unix seconds of the last change of the phase. */
  phaseAt: number;
  /** The workload stays as it was released, whatever comes; said once, by the phase. */
  released?: true;
  /** Of the workload when the rollout began; the generation of a gray release is the one that its step leads to. */
  uid: string;
  generation: number;
  images: { container: string; before: string; after: string }[];
  /** Pods beside the workload, where they share its traffic. */
  replicas?: number;
  gray?: GrayStep;
  istio?: IstioStep;
  /**
   * Name of the Kubernetes Service that leads to the workload, and its selector for the former pods and for the new ones,
   * which are the same where both share the traffic.
   */
  kubeService: string;
  selector: Record<string, string>;
  shiftedSelector: Record<string, string>;
}

const suffixes: Readonly<Record<RolloutMode, string>> = {
  "blue-green": "-blue",
  canary: "-canary",
  gray: "-zadig-gray",
  istio: "-istio",
};

/** Whether the Service leads to former and new pods alike. */
export function sharesTraffic({ mode = "blue-green" }: Pick<Rollout, "mode">): boolean {
  return mode !== "blue-green";
}

/** The name of what is made beside an object. */
export function besideName(name: string, { mode = "blue-green" }: Pick<Rollout, "mode">): string {
  return `${name}${suffixes[mode]}`;
}

/** Names a task in the record and in the label of what it makes. */
export function rolloutOwner(ownerId: string, taskId: number): string {
  return `${ownerId}.${taskId}`;
}

function keyOf({ clusterId, namespace, kind, name }: WorkloadPlace) {
  return keys.rollout(clusterId, namespace, `${kind}/${name}`);
}

/** @returns false when the workload has an owner */
export function takeRollout(rollout: Rollout): Promise<boolean> {
  const key = keyOf(rollout);
  const due = { duePk: dues.rollouts, dueSk: `${rollout.owner}#${key.pk}#${key.sk}` };
  return tryWrite(table().write(create({ ...rollout, ...key, ...due, type: "rollout" })));
}

export function findRollout(place: WorkloadPlace): Promise<Item<Rollout> | undefined> {
  return table().get<Rollout>(keyOf(place), { consistent: true });
}

/** All of a namespace; consistent. */
export function rolloutsIn(clusterId: string, namespace: string): Promise<Item<Rollout>[]> {
  return table().query<Rollout>({ pk: keys.rollout(clusterId, namespace, "").pk, consistent: true });
}

/** All that are not given back yet, as places: the index may be late, so a caller that acts reads the record. */
export async function openRollouts(): Promise<WorkloadPlace[]> {
  const items = await table().query<object>({ index: "due", pk: dues.rollouts });
  return items.map(({ pk, sk }) => {
    const [, clusterId = "", namespace = ""] = pk.split("#");
    const [kind = "", name = ""] = sk.split("/");
    return { clusterId, namespace, kind, name };
  });
}

/** @returns false when the rollout is no longer in any of the phases, or is another task's */
export function moveRollout(rollout: Rollout, from: readonly RolloutPhase[], phase: RolloutPhase): Promise<boolean> {
  const own = both(mustBeOneOf("owner", [rollout.owner]), mustBeOneOf("phase", from));
  const set = { phase, phaseAt: nowSeconds(), ...(phase === "released" && { released: true }) };
  return tryWrite(table().write(update(keyOf(rollout), { set }, own)));
}

/** Takes a release in steps on to its next one. @returns false when it is taken back meanwhile */
export function stepRollout(
  rollout: Rollout,
  step: Partial<Pick<Rollout, "gray" | "istio" | "replicas" | "generation">>,
): Promise<boolean> {
  const own = both(mustBeOneOf("owner", [rollout.owner]), mustBeOneOf("phase", ["deployed"]));
  return tryWrite(table().write(update(keyOf(rollout), { set: { ...step, phaseAt: nowSeconds() } }, own)));
}

/** Has routes that are made from the record lead as before the release. */
export async function endShares(rollout: Rollout): Promise<void> {
  if (rollout.istio === undefined) return;
  const own = mustBeOneOf("owner", [rollout.owner]);
  await tryWrite(table().write(update(keyOf(rollout), { set: { istio: { ...rollout.istio, weight: 0 } } }, own)));
}

/** Ends the ownership of a rollout that has ended; does nothing when another task owns it by now. */
export async function removeRollout(rollout: Rollout): Promise<void> {
  const own = both(mustBeOneOf("owner", [rollout.owner]), mustBeOneOf("phase", ["over"]));
  await tryWrite(table().write(remove(keyOf(rollout), own)));
}
