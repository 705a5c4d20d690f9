import { mapBounded } from "../base/common/mapBounded.ts";
import type { KubeObject } from "../manifest/parseManifest.ts";
import { at } from "../manifest/workloads.ts";
import type { CallOptions, ClusterClient, KindRef, LiveObject } from "./client/ClusterClient.ts";
import { ClusterKindUnknown } from "./client/errors.ts";
import { apiGroup, kindKey } from "./objectKey.ts";

/** What has to be known of a cluster before objects can be prepared for it. */
export interface ClusterFacts {
  /** Whether objects of the kind live in a namespace; undefined when the cluster does not serve the kind yet. */
  namespaced(kind: KindRef): boolean | undefined;
  /** Whether a HorizontalPodAutoscaler, live or of the same manifest, targets the workload. */
  autoscaled(object: KubeObject): boolean;
}

const scalable = new Set(["Deployment", "StatefulSet", "ReplicaSet", "CloneSet"]);
const autoscalerKind = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };

/**
 * Asks for what a manifest needs: nothing for well-known kinds, one discovery per other group version, one LIST of the
 * namespace's autoscalers when a workload names its replicas. One that `leaves` with the apply counts no more.
 */
export async function readClusterFacts(
  client: ClusterClient,
  objects: readonly KubeObject[],
  namespace: string,
  { leaves = () => false, ...call }: CallOptions & { leaves?: (live: LiveObject) => boolean } = {},
): Promise<ClusterFacts> {
  const scopes = new Map(objects.flatMap(definedKinds));
  const kinds = [...new Map(objects.map((object) => [versionedKey(object), object])).values()];
  await mapBounded(kinds, 8, async (kind) => {
    try {
      scopes.set(versionedKey(kind), (await client.resource(kind, call)).namespaced);
    } catch (error) {
      if (!(error instanceof ClusterKindUnknown)) throw error;
    }
  });
  const live = objects.some((object) => isScalable(object) && at(object, ["spec", "replicas"]) !== undefined)
    ? (await client.list(autoscalerKind, { namespace, ...call })).items
    : [];
  return clusterFacts(scopes, [...objects, ...live.filter((autoscaler) => !leaves(autoscaler))]);
}

/** The facts from what is known already; `autoscalers` may hold objects of other kinds. */
export function clusterFacts(scopes: ReadonlyMap<string, boolean>, autoscalers: readonly KubeObject[]): ClusterFacts {
  const targets = new Set(autoscalers.flatMap(autoscalerTarget));
  return {
    namespaced: (kind) => scopes.get(versionedKey(kind)),
    autoscaled: (object) => isScalable(object) && targets.has(`${kindKey(object)}/${object.metadata.name}`),
  };
}

function versionedKey({ apiVersion, kind }: KindRef): string {
  return `${apiVersion}/${kind}`;
}

function isScalable({ kind, apiVersion }: KubeObject): boolean {
  return scalable.has(kind) && apiGroup(apiVersion).startsWith("apps");
}

function autoscalerTarget(object: KubeObject): string[] {
  if (object.kind !== "HorizontalPodAutoscaler") return [];
  const [kind, name] = [at(object, ["spec", "scaleTargetRef", "kind"]), at(object, ["spec", "scaleTargetRef", "name"])];
  const apiVersion = at(object, ["spec", "scaleTargetRef", "apiVersion"]);
  if (typeof kind !== "string" || typeof name !== "string") return [];
  return [`${kindKey({ kind, apiVersion: typeof apiVersion === "string" ? apiVersion : "apps/v1" })}/${name}`];
}

/** The kinds that a definition in the manifest brings, before the cluster serves them. */
function definedKinds(object: KubeObject): [string, boolean][] {
  if (object.kind !== "CustomResourceDefinition") return [];
  const [group, kind] = [at(object, ["spec", "group"]), at(object, ["spec", "names", "kind"])];
  const versions = at(object, ["spec", "versions"]);
  if (typeof group !== "string" || typeof kind !== "string" || !Array.isArray(versions)) return [];
  const namespaced = at(object, ["spec", "scope"]) !== "Cluster";
  return versions.map((version) => [`${group}/${String(at(version, ["name"]))}/${kind}`, namespaced]);
}
