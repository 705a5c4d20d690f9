import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { withCallBudget } from "../../base/outbound/callBudget.ts";
import { type PreparedObject, prepareObjects } from "../../kube/apply/prepareObjects.ts";
import type { KindRef } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { type DriftedObject, findDrift } from "../../kube/drift/findDrift.ts";
import { readWhole } from "../../kube/live/readWhole.ts";
import { clusterFacts } from "../../kube/readClusterFacts.ts";
import { isSystemRole } from "../../kube/scopeRules.ts";
import { restOf } from "../../kube/sleep/activity.ts";
import { isSleepable } from "../../kube/sleep/readSleepable.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";
import { at } from "../../manifest/workloads.ts";
import { applyScope } from "../apply/applyScope.ts";
import { failingWith } from "../failures.ts";
import { silentSeconds } from "../limits.ts";
import { type EnvironmentName, environmentMissing } from "../requireEnvironment.ts";
import { findAppliedEnvironment } from "../store/environmentManifests.ts";
import type { AppliedState, EnvironmentManifest } from "../store/environments.ts";

const autoscalerKind = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };

interface AppliedService {
  name: string;
  objects: KubeObject[];
  /** Kinds that exist in the cluster; one of them may no longer be in the manifest. */
  kinds: readonly KindRef[];
}

/**
 * What of an environment is not as we applied it (decisions 6.7): one LIST a kind for all services together.
 * @throws ApiError 404 unknown environment; 6078 when the cluster cannot be read
 */
export async function readDrift(name: EnvironmentName): Promise<DriftedObject[]> {
  const found = await findAppliedEnvironment(name.projectKey, name.envKey);
  if (found === undefined || found.environment.production !== name.production) throw environmentMissing(name);
  const { environment } = found;
  return failingWith(6078, async () => {
    const services = await Promise.all([...found.manifests].map(([service, manifest]) => load(service, manifest)));
    const manifests = services.flatMap(({ objects }) => objects);
    if (services.length === 0) return [];
    const { client } = await openCluster(environment.clusterId);
    const scaled = manifests.some((object) => at(object, ["spec", "replicas"]) !== undefined);
    const kinds = [
      ...manifests.map(refOf),
      ...services.flatMap((service) => service.kinds),
      ...(scaled ? [autoscalerKind] : []),
    ];
    const live = await withCallBudget(silentSeconds, () => readWhole(client, kinds, environment));
    const facts = clusterFacts(live.namespaced, [...manifests, ...live.objects]);
    const prepared = services.map(({ name: service, objects }) => {
      const scope = { ...applyScope(environment, service), podsAsTheyAre: found.adopted.has(service) };
      const { objects: wanted } = prepareObjects(objects, scope, facts);
      return [service, environment.asleep === true ? wanted.map(atRest) : wanted] as const;
    });
    const releases = [...found.manifests].flatMap(([service, { isRelease }]) => (isRelease === true ? [service] : []));
    return findDrift(environment.environmentId, new Map(prepared), live.objects, new Set(releases));
  });
}

/** While an environment sleeps, its workloads are as they should be when they rest. */
function atRest(one: PreparedObject): PreparedObject {
  const { object } = one;
  if (!isSleepable(one.ref)) return one;
  return { ...one, object: { ...object, spec: { ...(isRecord(object.spec) && object.spec), ...restOf(one.ref) } } };
}

async function load(name: string, { text, applied, isRelease }: EnvironmentManifest): Promise<AppliedService> {
  const [manifest, state] = await Promise.all([readStoredText(text), readStoredText(applied)]);
  const { refs }: AppliedState = JSON.parse(state);
  // Only the environment's namespace is read.
  const objects = parseManifest(manifest).filter((object) => isRelease !== true || !isSystemRole(object));
  return { name, objects, kinds: refs };
}
