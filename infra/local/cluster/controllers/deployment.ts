import { equal, timestamp } from "../model/object.ts";
import type { Condition, Deployment, Pod, PodTemplate, ReplicaSet } from "../model/workloads.ts";
import { type Cluster, type Controller, controllerOf, keyOf, ownedBy, ownerKey } from "./controller.ts";
import { isActive, setCondition, some, templateHash } from "./podsOf.ts";
import { adopt } from "./replicaSet.ts";

const revisionKey = "deployment.kubernetes.io/revision";
const hashLabel = "pod-template-hash";
const sets = "replicasets.apps";
const component = "deployment-controller";

/** Rolls each Deployment from its old ReplicaSets to the one of its present template. */
export function deploymentController(cluster: Cluster): Controller {
  return {
    name: "deployment",
    watches: {
      "deployments.apps": (deployment) => [keyOf(deployment)],
      [sets]: ownerKey("Deployment"),
      pods: (pod) => ownersOwner(cluster, pod as Pod),
    },
    reconcile(namespace, name) {
      const deployment = cluster.get<Deployment>("deployments.apps", namespace, name);
      if (!deployment || deployment.metadata.deletionTimestamp) return undefined;
      adopt(cluster, deployment, sets);
      const owned = cluster.owned<ReplicaSet>(deployment, sets).filter((set) => !set.metadata.deletionTimestamp);
      const found = owned.find((set) => sameTemplate(set.spec.template, deployment.spec.template));
      const old = owned.filter((set) => set !== found);
      const paused = deployment.spec.paused === true;
      const current = found || paused ? found : createSet(cluster, deployment, old);
      if (current) number(cluster, deployment, current, old);
      if (current) passMinReadySeconds(cluster, deployment, current);
      if (paused) scaleWhilePaused(cluster, deployment, owned);
      else if (current) roll(cluster, deployment, current, old);
      if (!paused && current) forgetOldSets(cluster, deployment, current, old);
      return report(cluster, namespace, name, current);
    },
  };
}

/** A Recreate rollout waits for old pods to go, so their Deployment looks again when one changes. */
function ownersOwner(cluster: Cluster, pod: Pod): string[] {
  const owner = controllerOf(pod);
  if (owner?.kind !== "ReplicaSet" || !pod.metadata.deletionTimestamp) return [];
  const set = cluster.get(sets, pod.metadata.namespace ?? "", owner.name);
  return set ? ownerKey("Deployment")(set) : [];
}

function sameTemplate(left: PodTemplate, right: PodTemplate): boolean {
  return equal(withoutHash(left), withoutHash(right));
}

function withoutHash(template: PodTemplate): PodTemplate {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

function createSet(cluster: Cluster, deployment: Deployment, old: ReplicaSet[]): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = templateHash(template);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const name = `${deployment.metadata.name}-${hash}`;
  const created = cluster.create(sets, deployment.metadata.namespace ?? "", {
    metadata: {
      name,
      labels,
      annotations: { ...inherited(deployment), [revisionKey]: String(latest(old) + 1) },
      ownerReferences: [ownedBy(deployment)],
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds ? { minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
  return created as ReplicaSet;
}

function inherited(deployment: Deployment): Record<string, string> {
  const { "kubectl.kubernetes.io/last-applied-configuration": _, ...rest } = deployment.metadata.annotations ?? {};
  return rest;
}

function revisionOf(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.[revisionKey] ?? 0);
}

function latest(list: ReplicaSet[]): number {
  return Math.max(0, ...list.map(revisionOf));
}

/** The set of the present template has the highest revision; the Deployment names it. */
function number(cluster: Cluster, deployment: Deployment, current: ReplicaSet, old: ReplicaSet[]): void {
  const revision = String(Math.max(revisionOf(current), latest(old) + 1));
  if (current.metadata.annotations?.[revisionKey] !== revision) annotate(cluster, sets, current, revision);
  if (deployment.metadata.annotations?.[revisionKey] !== revision)
    annotate(cluster, "deployments.apps", deployment, revision);
}

/** What counts as available may change without a new template. */
function passMinReadySeconds(cluster: Cluster, deployment: Deployment, set: ReplicaSet): void {
  const live = cluster.get<ReplicaSet>(sets, set.metadata.namespace ?? "", set.metadata.name);
  const { minReadySeconds = 0 } = deployment.spec;
  if (!live || (live.spec.minReadySeconds ?? 0) === minReadySeconds) return;
  const generation = (live.metadata.generation ?? 0) + 1;
  cluster.write(sets, { ...live, metadata: { ...live.metadata, generation }, spec: { ...live.spec, minReadySeconds } });
}

function annotate(cluster: Cluster, key: string, object: Deployment | ReplicaSet, revision: string): void {
  const live = cluster.get(key, object.metadata.namespace ?? "", object.metadata.name);
  if (!live) return;
  const annotations = { ...live.metadata.annotations, [revisionKey]: revision };
  cluster.write(key, { ...live, metadata: { ...live.metadata, annotations } });
}

function setReplicas(cluster: Cluster, deployment: Deployment, set: ReplicaSet, replicas: number): void {
  const live = cluster.get<ReplicaSet>(sets, set.metadata.namespace ?? "", set.metadata.name);
  if (!live || live.spec.replicas === replicas) return;
  const direction = replicas > live.spec.replicas ? "up" : "down";
  const generation = (live.metadata.generation ?? 0) + 1;
  cluster.write(sets, { ...live, metadata: { ...live.metadata, generation }, spec: { ...live.spec, replicas } });
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${live.spec.replicas} to ${replicas}`;
  cluster.event(deployment, "Normal", "ScalingReplicaSet", message, component);
}

/** A paused Deployment still follows its replica count, on the newest set it has. */
function scaleWhilePaused(cluster: Cluster, deployment: Deployment, owned: ReplicaSet[]): void {
  const active = owned.filter((set) => set.spec.replicas > 0);
  const newest = (active.length > 0 ? active : owned).toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  if (!newest) return;
  const others = active.filter((set) => set !== newest).reduce((sum, set) => sum + set.spec.replicas, 0);
  setReplicas(cluster, deployment, newest, Math.max(0, deployment.spec.replicas - others));
}

function roll(cluster: Cluster, deployment: Deployment, current: ReplicaSet, old: ReplicaSet[]): void {
  const desired = deployment.spec.replicas;
  if (deployment.spec.strategy.type === "Recreate") {
    for (const set of old) setReplicas(cluster, deployment, set, 0);
    const left = old.some((set) => cluster.owned<Pod>(set, "pods").some((pod) => !isDone(pod)));
    if (!left) setReplicas(cluster, deployment, current, desired);
    return;
  }
  const surge = share(deployment.spec.strategy.rollingUpdate?.maxSurge ?? "25%", desired, Math.ceil);
  let unavailable = share(deployment.spec.strategy.rollingUpdate?.maxUnavailable ?? "25%", desired, Math.floor);
  if (surge === 0 && unavailable === 0) unavailable = 1;
  const oldTotal = old.reduce((sum, set) => sum + set.spec.replicas, 0);
  const room = desired + surge - oldTotal;
  const grown = Math.min(desired, Math.max(current.spec.replicas, room));
  setReplicas(cluster, deployment, current, oldTotal === 0 ? desired : grown);
  shrinkOld(cluster, deployment, current, old, desired - unavailable);
}

function isDone(pod: Pod): boolean {
  return pod.status.phase === "Succeeded" || pod.status.phase === "Failed";
}

/** Takes old pods away: those that do not work at once, the others as far as enough stay available. */
function shrinkOld(
  cluster: Cluster,
  deployment: Deployment,
  current: ReplicaSet,
  old: ReplicaSet[],
  least: number,
): void {
  const live = old.map((set) => ({ set, pods: cluster.owned<Pod>(set, "pods").filter(isActive) }));
  let available = [current, ...old].reduce((sum, set) => sum + (set.status.availableReplicas ?? 0), 0);
  for (const { set } of live.toSorted((a, b) => revisionOf(a.set) - revisionOf(b.set))) {
    const healthy = Math.min(set.status.availableReplicas ?? 0, set.spec.replicas);
    const broken = Math.max(0, set.spec.replicas - healthy);
    const spare = Math.min(healthy, Math.max(0, available - least));
    available -= spare;
    setReplicas(cluster, deployment, set, set.spec.replicas - broken - spare);
  }
}

function share(value: number | string, of: number, round: (n: number) => number): number {
  if (typeof value === "number") return value;
  return round((Number.parseInt(value, 10) / 100) * of);
}

function forgetOldSets(cluster: Cluster, deployment: Deployment, current: ReplicaSet, old: ReplicaSet[]): void {
  const empty = old.filter((set) => set.spec.replicas === 0 && (set.status.replicas ?? 0) === 0 && set !== current);
  const surplus = empty.length - (deployment.spec.revisionHistoryLimit ?? 10);
  const oldest = empty.toSorted((a, b) => revisionOf(a) - revisionOf(b));
  for (const set of oldest.slice(0, Math.max(0, surplus))) cluster.delete(sets, set);
}

function report(
  cluster: Cluster,
  namespace: string,
  name: string,
  current: ReplicaSet | undefined,
): number | undefined {
  const deployment = cluster.get<Deployment>("deployments.apps", namespace, name);
  if (!deployment) return undefined;
  const owned = cluster.owned<ReplicaSet>(deployment, sets);
  const sum = (field: "replicas" | "readyReplicas" | "availableReplicas") =>
    owned.reduce((total, set) => total + (set.status[field] ?? 0), 0);
  const updated = owned.find((set) => set.metadata.uid === current?.metadata.uid)?.status.replicas ?? 0;
  const desired = deployment.spec.replicas;
  const available = sum("availableReplicas");
  const counts = { desired, updated, replicas: sum("replicas"), available };
  const progress = progressing(deployment, current, counts);
  cluster.writeStatus("deployments.apps", deployment, {
    observedGeneration: deployment.metadata.generation,
    replicas: some(counts.replicas),
    updatedReplicas: some(updated),
    readyReplicas: some(sum("readyReplicas")),
    availableReplicas: some(available),
    unavailableReplicas: some(Math.max(0, Math.max(desired, counts.replicas) - available)),
    conditions: setCondition(progress.conditions, availability(deployment, available)),
  });
  return progress.againMilliseconds;
}

function availability(deployment: Deployment, available: number): Condition {
  const { replicas, strategy } = deployment.spec;
  const rolling = strategy.type === "RollingUpdate" ? (strategy.rollingUpdate?.maxUnavailable ?? "25%") : 0;
  const enough = available >= replicas - share(rolling, replicas, Math.floor);
  return enough
    ? condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    : condition("Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.");
}

function condition(type: string, status: string, reason: string, message: string): Condition {
  return { type, status, reason, message, lastUpdateTime: timestamp() };
}

interface Counts {
  desired: number;
  updated: number;
  replicas: number;
  available: number;
}

/** The Progressing condition, and when it must be looked at again because its deadline may pass. */
function progressing(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  counts: Counts,
): { conditions: Condition[]; againMilliseconds?: number } {
  const conditions = deployment.status.conditions ?? [];
  const old = conditions.find((c) => c.type === "Progressing");
  if (deployment.spec.paused) {
    const paused = condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused");
    return { conditions: setCondition(conditions, paused) };
  }
  if (!current) return { conditions };
  const set = JSON.stringify(current.metadata.name);
  if (counts.updated === counts.desired && counts.replicas === counts.desired && counts.available === counts.desired) {
    const done = condition(
      "Progressing",
      "True",
      "NewReplicaSetAvailable",
      `ReplicaSet ${set} has successfully progressed.`,
    );
    return { conditions: setCondition(conditions, done) };
  }
  const made = [deployment.status.updatedReplicas, deployment.status.availableReplicas, deployment.status.replicas];
  const moved =
    (made[0] ?? 0) !== counts.updated ||
    (made[1] ?? 0) !== counts.available ||
    (made[2] ?? 0) !== counts.replicas ||
    deployment.status.observedGeneration !== deployment.metadata.generation;
  const limit = (deployment.spec.progressDeadlineSeconds ?? 600) * 1_000;
  if (!moved && old) {
    if (old.reason === "ProgressDeadlineExceeded") return { conditions };
    const left = Date.parse(old.lastUpdateTime ?? timestamp()) + limit - Date.now();
    if (left > 0) return { conditions, againMilliseconds: left + 1_000 };
    const late = condition(
      "Progressing",
      "False",
      "ProgressDeadlineExceeded",
      `ReplicaSet ${set} has timed out progressing.`,
    );
    return { conditions: setCondition(conditions, late) };
  }
  const going = condition("Progressing", "True", "ReplicaSetUpdated", `ReplicaSet ${set} is progressing.`);
  const rest = conditions.filter((c) => c.type !== "Progressing");
  const lastTransitionTime = old?.status === "True" && old.lastTransitionTime ? old.lastTransitionTime : timestamp();
  return { conditions: [...rest, { ...going, lastTransitionTime }], againMilliseconds: limit + 1_000 };
}
