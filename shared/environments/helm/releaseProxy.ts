import { isPullSecret, pullSecretSentence } from "../../kube/apply/marks.ts";
import { type PreparedObject, prepareObjects } from "../../kube/apply/prepareObjects.ts";
import { type Bounds, boundsProblem, unbounded, whoMayAllow } from "../../kube/bounds.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { readLive } from "../../kube/live/readLive.ts";
import { readClusterFacts } from "../../kube/readClusterFacts.ts";
import { isSystemRole } from "../../kube/scopeRules.ts";
import { joinDocuments } from "../../manifest/edit/documents.ts";
import { HELM_LIMITS } from "../../manifest/limits.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { dumpYaml } from "../../manifest/parseYaml.ts";
import { mapPodImages } from "../../manifest/podImages.ts";
import { renderedReplicas, type SetReplicas, withReplicas, workloadKey } from "../../manifest/replicas.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { ChartProblem } from "../../packaging/helm/chartProblem.ts";
import type { ProxiedCluster } from "../../packaging/helm/kubeProxy.ts";
import type { DeployPlace } from "../apply/applyPlan.ts";
import { applyScope, clusterKindsOf } from "../apply/applyScope.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { isReachable } from "../read/isReachable.ts";
import { ownersOn } from "../resolveOwner.ts";
import { findEnvironment } from "../store/environments.ts";

/** Whose release it is. */
export interface ReleasePlace extends DeployPlace {
  service: string;
  /** What its objects may be, hooks included; absent for what was admitted before. */
  bounds?: Bounds | undefined;
}

/**
 * The door through which Helm sees the cluster for one service: what it rendered gets our labels, our pull secret and the
 * counts that people and autoscalers set (decisions 11.4).
 * @param take this service has what belongs to no namespace from here on
 * @param image what runs for each image that Helm rendered
 * @param counted told how many pods the chart itself gives each workload that no autoscaler scales
 */
export function releaseProxy(
  client: ClusterClient,
  place: ReleasePlace,
  {
    replicas = {},
    take,
    image = (name) => name,
    counted = () => undefined,
  }: {
    replicas?: Readonly<Record<string, number>> | undefined;
    take: boolean;
    image?: ((name: string) => string) | undefined;
    counted?: (rendered: SetReplicas) => void;
  },
): ProxiedCluster {
  return {
    client,
    namespace: place.namespace,
    clusterKinds: clusterKindsOf(place.bounds),
    systemRoles: mayHoldSystemRoles(place),
    secretProblem: secretProblemIn(place),
    render: async (manifests) => {
      const rendered = parseManifest(manifests, HELM_LIMITS);
      const objects = rendered.map((one) => {
        const object = mapPodImages(one, image);
        const count = replicas[workloadKey({ kind: object.kind, name: object.metadata.name })];
        return count === undefined ? object : withReplicas(object, count);
      });
      const outside = objects.flatMap((object) => boundsProblem(object, place.bounds ?? unbounded) ?? []);
      if (outside.length > 0) throw new ChartProblem(`${outside.join("; ")}; ${whoMayAllow(place.projectKey)}`);
      const prepared = await prepareRelease(client, place, objects, { take });
      const scaled = new Set(prepared.flatMap(({ autoscaled, ref }) => (autoscaled ? [workloadKey(ref)] : [])));
      counted(renderedReplicas(rendered, scaled));
      return joinDocuments(prepared.map(({ object }) => dumpYaml(object))) || noObjects;
    },
  };
}

function mayHoldSystemRoles({ bounds }: ReleasePlace): boolean {
  return bounds === undefined || bounds.systemRoles === true;
}

/** For a chart that renders nothing: Helm refuses an empty answer, and reads this as no objects. */
const noObjects = "# no objects\n";

/** A chart knows the Secrets that its environment's configurations show (decisions 17.4). */
function secretProblemIn({
  projectKey,
  envKey,
  environmentId,
  clusterId,
}: ReleasePlace): ProxiedCluster["secretProblem"] {
  let guest: Promise<boolean> | undefined;
  const owners = ownersOn(clusterId);
  return async ({ name, labels }) => {
    if (isPullSecret({ kind: "Secret", name })) return pullSecretSentence;
    // Of one that was deleted meanwhile nothing but its own is known.
    guest ??= findEnvironment(projectKey, envKey).then((found) => found === undefined || found.guest === true);
    if (await isReachable({ environmentId, ...((await guest) && { guest: true }) }, labels, owners)) return undefined;
    return `Secret "${name}" is no object of this environment; a chart may read the Secrets of its own`;
  };
}

/** For `releaseProxy`: what was checked runs, and nothing else. Without pins everything runs as it is named. */
export function pinnedImage(
  pins: Readonly<Record<string, string>> | undefined,
): ((name: string) => string) | undefined {
  if (pins === undefined) return undefined;
  return (name) => {
    const pinned = pins[name];
    if (pinned !== undefined) return pinned;
    throw new ChartProblem(
      `the chart names image ${name}, which it did not name when its images were checked; deploy it again`,
    );
  };
}

/**
 * The objects of a release as they are sent. @throws ChartProblem naming what may not be applied, lies in another
 * namespace, or belongs to others
 */
export async function prepareRelease(
  client: ClusterClient,
  place: ReleasePlace,
  objects: readonly KubeObject[],
  { take, podsAsTheyAre }: { take: boolean; podsAsTheyAre?: boolean },
): Promise<PreparedObject[]> {
  const facts = await readClusterFacts(client, objects, place.namespace);
  const systemRoles = mayHoldSystemRoles(place);
  const elsewhere = objects.filter(
    (object) =>
      (object.metadata.namespace ?? place.namespace) !== place.namespace &&
      facts.namespaced(object) !== false &&
      !(systemRoles && isSystemRole(object)),
  );
  const { objects: prepared, problems } = prepareObjects(
    objects,
    { ...applyScope(place, place.service), podsAsTheyAre, systemRoles },
    facts,
  );
  const refused = [
    ...problems.map(({ message }) => message),
    ...elsewhere.map((object) => {
      const { kind, metadata } = object;
      const whoMay = isSystemRole(object) ? "; a system administrator can deploy it" : "";
      return `${kind} "${metadata.name}" names namespace ${metadata.namespace}; a chart may use ${place.namespace}, the namespace of its environment${whoMay}`;
    }),
  ];
  if (refused.length > 0) throw new ChartProblem(refused.join("; "));
  const shared = prepared.filter(({ namespaced }) => namespaced === false);
  if (shared.length === 0) return prepared;
  const live = await readLive(
    client,
    shared.map(({ ref }) => ref),
    place.namespace,
  );
  const settled = await clusterScopedOwnersOf(place, place.service).settle(client, shared, live, { take });
  const conflicts = settled.flatMap(({ conflict }) => conflict ?? []);
  if (conflicts.length > 0) throw new ChartProblem(conflicts.join("; "));
  const byKey = new Map(settled.map(({ one }) => [one.key, one]));
  return prepared.map((one) => byKey.get(one.key) ?? one);
}
