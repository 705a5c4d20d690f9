import { notifyChange } from "../../access/events/store/changeEvents.ts";
import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { both, mustBeOneOf, mustExist, mustLack } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { dues, keys, padded } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, overwrite, update, type Write } from "../../base/store/writes.ts";
import type { Bounds } from "../../kube/bounds.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import type { EnvironmentVariable } from "../../manifest/variables/environmentVariables.ts";
import type { ChartRef } from "../../packaging/helm/chartStore.ts";

export type ChangeKind =
  | "create"
  | "add"
  | "update"
  | "delete"
  | "sleep"
  | "wake"
  | "share"
  | "unshare"
  | "portal"
  | "test";
/** `checking`: the request that asked for it is still being answered; `abandoning`: what it made is being taken back. */
export type ChangeStatus = "checking" | "abandoning" | "running" | "done" | "failed";

/** One change of an environment, worked off by the state machine `environment-change`. */
export interface Change {
  changeId: string;
  kind: ChangeKind;
  projectKey: string;
  envKey: string;
  environmentId: string;
  clusterId: string;
  namespace: string;
  production: boolean;
  status: ChangeStatus;
  attempt: number;
  /** Service names in the order of their groups; a snapshot of what will be done. */
  groups: string[][];
  /** Sealed configuration objects, applied before the services. */
  configs: StoredText[];
  /** Delete only: take the objects away as well. */
  deleteObjects: boolean;
  /** Delete definitions of kinds although objects of others are of them. */
  deleteCrds?: boolean;
  /** Test only: the service, and the state of the environment, which a test leaves as it is. */
  test?: { service: string; event: "finish" | "fail"; error: string };
  /** The base of the sub-environment that is changed. */
  baseEnv?: string;
  /** Take over objects that exist there already. */
  adopt?: boolean;
  /** Take away what people and tools added. */
  reset?: boolean;
  /** The release plan that it takes a service back for: it is told of the end. */
  releasePlan?: string;
  /** Managers whose fields become ours, beside `kubectl apply`. */
  adoptManagers?: readonly string[];
  /** What its objects were judged by when it was accepted; a chart is judged again when Helm renders it. */
  bounds?: Bounds;
  by: string;
  /** Who began it, where that is to be told. */
  byUser?: { uid: string; account: string; identityType: string };
  startedAt: number;
  /** Unix seconds: the end of the whole change (decisions 6.2). */
  deadline: number;
  error: string;
}

/** What will be applied of one service: rendered once when the change was accepted, never resolved again. */
export interface ServicePlan {
  name: string;
  group: number;
  revision: number;
  variables: EnvironmentVariable[];
  containers: ServiceContainer[];
  changedImages: Record<string, string>;
  /** Replica counts set by hand that the text holds (contract P 5.7). */
  replicas?: Record<string, number>;
  /**
   * Set when an earlier version of the service comes back: the versions left and taken (contract P 16.5), and the newest
   * revision of its definition then.
   */
  rollback?: { from: number; to: number; newest: number };
  /** Whether definitions of kinds are among its objects: they are applied before all services. */
  defines?: boolean;
  /** Set when kinds of its objects were missing: it is tried once more when all other services are there. */
  missingKinds?: boolean;
  /** Of a service that is a chart: what Helm is asked for. */
  release?: PlannedRelease;
  text: StoredText;
  /** Of a chart: who cancelled what Helm is busy with. */
  cancelledBy?: string;
  /** Set when its objects were applied: an empty text, or why some failed. */
  result?: string;
  /** Set when its workloads were ready. */
  ready?: boolean;
  /** Why its workloads were not ready in time. */
  notReady?: string;
}

/** A release of a chart as it was decided. */
export interface PlannedRelease {
  /** With the chart repository that a job took it from, where the release is no service of the project. */
  chart: ChartRef & { repository?: string };
  /** Complete and merged (decisions 11.9), images included. */
  values: StoredText;
  /** What callers sent for this environment; it stays until they send other values. */
  valuesYaml: StoredText;
  /** What runs for each image that the chart names, hooks included, where the project demands signatures. */
  pins?: Readonly<Record<string, string>>;
  /**
   * How many pods the chart and its values alone give each workload, by `workloadKey`; without those that an autoscaler
   * scales. Absent in records of earlier versions.
   */
  renderedReplicas?: Readonly<Record<string, number>>;
  /** The revision that was found in the cluster: it is taken over as it is, until it is deployed for the first time. */
  adopted?: number;
  /** Only kept in the environment: nothing of it is in the cluster, until it is deployed. */
  draft?: true;
}

const openStatuses: readonly ChangeStatus[] = ["checking", "abandoning", "running"];

/** Plans and results are kept this long after the change began. */
const keptSeconds = 7 * 24 * 3600;

export function findChange(changeId: string): Promise<Item<Change> | undefined> {
  return table().get<Change>(keys.change(changeId));
}

/** The change, due at `dueAt` for the reconciler until it is concluded; those who follow the environment are told. */
export function createChange(change: Change, dueAt: number): Write[] {
  const item = {
    ...change,
    ...keys.change(change.changeId),
    type: "change",
    duePk: dues.changes,
    dueSk: `${padded(dueAt)}#${change.changeId}`,
  };
  return [create(item), notifyEnvironment(change, "running")];
}

/** Tells those who follow changes that one of an environment goes on, or how it ended. */
export function notifyEnvironment(
  { projectKey, envKey, production }: Pick<Change, "projectKey" | "envKey" | "production">,
  state: "running" | "done" | "failed",
): Write {
  return notifyChange({ kind: "environment", projectKey, key: envKey, name: envKey, production, state });
}

/** Sets the change going after the checks; fails when the reconciler gave it up in the meantime. */
export function startChangeRecord(change: Change, set: Partial<Change>): Write {
  return update(
    keys.change(change.changeId),
    { set: { ...set, status: "running", dueSk: `${padded(change.deadline)}#${change.changeId}` } },
    mustBeOneOf("status", ["checking"]),
  );
}

/** Gives a change up that was not accepted; from here on it cannot begin. */
export function abandonChange(change: Change): Write {
  return update(
    keys.change(change.changeId),
    { set: { status: "abandoning" } },
    mustBeOneOf("status", ["checking", "abandoning"]),
  );
}

/** Whether the change is under way. */
export function isOpen(change: Pick<Change, "status">): boolean {
  return openStatuses.includes(change.status);
}

/**
 * Ends a change that another one takes over. Where that one is a deletion with its objects, what steps under way still
 * apply they take away again.
 */
export function supersedeChange(change: Change, by: Pick<Change, "kind" | "deleteObjects" | "deleteCrds">): Write {
  const error = by.kind === "delete" ? "superseded by a deletion" : "superseded by a newer change";
  const { deleteObjects, deleteCrds } = by;
  return update(
    keys.change(change.changeId),
    {
      set: { status: "failed", error, deleteObjects, deleteCrds, ttl: nowSeconds() + keptSeconds },
      unset: ["duePk", "dueSk"],
    },
    mustBeOneOf("status", openStatuses),
  );
}

/** Ends the change, and tells those who follow the environment; fails when it ended before. */
export function concludeChange(change: Change, status: "done" | "failed", error: string): Write[] {
  const end = update(
    keys.change(change.changeId),
    { set: { status, error, ttl: nowSeconds() + keptSeconds }, unset: ["duePk", "dueSk"] },
    mustBeOneOf("status", openStatuses),
  );
  return [end, notifyEnvironment(change, status)];
}

/** Counts one more execution; a change that is concluded needs none, also when it was concluded a moment ago. */
export function setAttempt(change: Change, attempt: number): Write {
  const isThatOpenOne = both(mustBeOneOf("attempt", [change.attempt]), mustBeOneOf("status", openStatuses));
  return update(keys.change(change.changeId), { set: { attempt } }, isThatOpenOne);
}

/** Ids of every change that is not concluded, the nearest deadline first. */
export async function openChanges(): Promise<string[]> {
  const items = await table().query<object>({ index: "due", pk: dues.changes });
  return items.map((item) => item.pk.slice("change#".length));
}

/** Writes plans in transactions of at most 100; may be repeated. */
export async function storePlans(changeId: string, plans: readonly ServicePlan[]): Promise<void> {
  const ttl = nowSeconds() + keptSeconds;
  for (let at = 0; at < plans.length; at += 100) {
    const part = plans.slice(at, at + 100);
    await table().write(
      ...part.map((plan) => overwrite({ ttl, ...plan, ...keys.changePlan(changeId, plan.name), type: "change-plan" })),
    );
  }
}

/** A change with some of its plans, in one round trip. */
export async function findChangeAndPlans(
  changeId: string,
  services: readonly string[],
): Promise<{ change: Item<Change> | undefined; plans: Item<ServicePlan>[] }> {
  const items = await table().getMany<Change & ServicePlan>([
    keys.change(changeId),
    ...services.map((service) => keys.changePlan(changeId, service)),
  ]);
  return {
    change: items.find(({ type }) => type === "change"),
    plans: items.filter(({ type }) => type === "change-plan"),
  };
}

export function findPlan(changeId: string, service: string): Promise<Item<ServicePlan> | undefined> {
  return table().get<ServicePlan>(keys.changePlan(changeId, service));
}

export function findPlans(changeId: string): Promise<Item<ServicePlan>[]> {
  return table().query<ServicePlan>({ pk: keys.change(changeId).pk, prefix: "plan#" });
}

/** Notes on a plan what became of it. */
export function recordPlan(
  changeId: string,
  service: string,
  note: Partial<Pick<ServicePlan, "result" | "notReady" | "ready" | "missingKinds">>,
): Write {
  return update(keys.changePlan(changeId, service), { set: note }, mustExist);
}

/** Cancels a plan whose outcome is not noted yet; the condition fails where it is. */
export function cancelPlan({ changeId, service, by }: { changeId: string; service: string; by: string }): Write {
  return update(keys.changePlan(changeId, service), { set: { cancelledBy: by } }, mustLack("result"));
}
