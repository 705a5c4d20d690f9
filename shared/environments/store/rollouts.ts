import { nowSeconds } from "../../store/ids.ts";
import { dues, keys } from "../../store/keys.ts";
import type { Item } from "../../store/table.ts";
import { table } from "../../store/theTable.ts";
import { unlessLost } from "../../store/unlessLost.ts";
import { both, create, mustBeOneOf, remove, update } from "../../store/writes.ts";

/** Where a workload stands. */
export interface WorkloadPlace {
  clusterId: string;
  namespace: string;
  kind: string;
  name: string;
}

/**
 * How far a rollout is: what is new stands beside (`deployed`), has the traffic while the workload is rolled (`shifted`),
 * the workload is new (`released`); `returning` takes everything back; `over` has nothing left but the ownership.
 */
export type RolloutPhase = "deployed" | "shifted" | "released" | "returning" | "over";

/** New pods wait beside the former ones (`blue-green`), or share their traffic (`canary`). */
export type RolloutMode = "blue-green" | "canary";

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
  /** Of the workload when the rollout began. */
  uid: string;
  generation: number;
  images: { container: string; before: string; after: string }[];
  /** Pods of a canary. */
  replicas?: number;
  /**
   * Name of the Kubernetes Service that leads to the workload, and its selector for the former pods and for the new ones,
   * which are the same where both share the traffic.
   */
  kubeService: string;
  selector: Record<string, string>;
  shiftedSelector: Record<string, string>;
}

const suffixes: Readonly<Record<RolloutMode, string>> = { "blue-green": "-blue", canary: "-canary" };

/** The name of what stands beside an object. */
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
  return unlessLost(table().write(create({ ...rollout, ...key, ...due, type: "rollout" })));
}

export function findRollout(place: WorkloadPlace): Promise<Item<Rollout> | undefined> {
  return table().get<Rollout>(keyOf(place), { consistent: true });
}

/** All of a namespace; consistent. */
export function rolloutsIn(clusterId: string, namespace: string): Promise<Item<Rollout>[]> {
  return table().query<Rollout>({ pk: keys.rollout(clusterId, namespace, "").pk, consistent: true });
}

/** All that are not given back yet, as places: the index may be late, so whoever acts reads the record. */
export async function openRollouts(): Promise<WorkloadPlace[]> {
  const items = await table().query<object>({ index: "due", pk: dues.rollouts });
  return items.map(({ pk, sk }) => {
    const [, clusterId = "", namespace = ""] = pk.split("#");
    const [kind = "", name = ""] = sk.split("/");
    return { clusterId, namespace, kind, name };
  });
}

/** @returns false when the rollout is in none of the phases any more, or is another task's */
export function moveRollout(rollout: Rollout, from: readonly RolloutPhase[], phase: RolloutPhase): Promise<boolean> {
  const own = both(mustBeOneOf("owner", [rollout.owner]), mustBeOneOf("phase", from));
  const set = { phase, phaseAt: nowSeconds(), ...(phase === "released" && { released: true }) };
  return unlessLost(table().write(update(keyOf(rollout), { set }, own)));
}

/** Ends the ownership of a rollout that is over; nothing when that is somebody else's by now. */
export async function removeRollout(rollout: Rollout): Promise<void> {
  const own = both(mustBeOneOf("owner", [rollout.owner]), mustBeOneOf("phase", ["over"]));
  await unlessLost(table().write(remove(keyOf(rollout), own)));
}
