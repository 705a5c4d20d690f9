import { isDeepStrictEqual } from "node:util";
import { at } from "../../manifest/workloads.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import type { LivePod, LiveWorkload } from "./liveTypes.ts";
import { podsOf } from "./podsOf.ts";

const templateHash = "pod-template-hash";
const revisionHash = "controller-revision-hash";

/**
 * The pods that a workload made of its present template; those of an earlier one tell nothing of the change under way.
 * @param objects of the service, for a Deployment with its replica sets
 */
export function currentPodsOf(workload: LiveWorkload, objects: readonly LiveObject[]): LivePod[] {
  const pods = podsOf(workload, objects).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (workload.kind === "Deployment") {
    const uids = objects.filter((object) => isCurrentSet(workload, object)).map(({ metadata }) => metadata.uid);
    return pods.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uids.includes(uid)) === true);
  }
  const revision = at(workload, ["status", "updateRevision"]);
  if (typeof revision === "string") return pods.filter(({ metadata }) => metadata.labels?.[revisionHash] === revision);
  if (workload.kind !== "DaemonSet") return pods;
  // A DaemonSet does not tell its revision; its newest pod has it.
  const newest = pods.reduce<LivePod | undefined>(
    (a, b) => (a !== undefined && madeAt(a) >= madeAt(b) ? a : b),
    undefined,
  );
  const newestHash = newest?.metadata.labels?.[revisionHash];
  return pods.filter(({ metadata }) => metadata.labels?.[revisionHash] === newestHash);
}

function isCurrentSet(deployment: LiveWorkload, object: LiveObject): boolean {
  if (object.kind !== "ReplicaSet") return false;
  if (object.metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid) !== true) return false;
  return isDeepStrictEqual(plainTemplate(object), plainTemplate(deployment));
}

/** The pod template without the label by which a replica set tells its own from others. */
function plainTemplate(object: LiveObject): unknown {
  const template = structuredClone(at(object, ["spec", "template"]));
  const labels = at(template, ["metadata", "labels"]);
  if (typeof labels === "object" && labels !== null) Reflect.deleteProperty(labels, templateHash);
  return template;
}

function madeAt({ metadata }: LivePod): string {
  return metadata.creationTimestamp ?? "";
}
