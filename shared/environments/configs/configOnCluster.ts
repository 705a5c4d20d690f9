import { adoptableManagers } from "../../kube/apply/adoptFields.ts";
import { applyByForce } from "../../kube/apply/applyByForce.ts";
import { checkOwnership } from "../../kube/apply/checkOwnership.ts";
import { environmentLabel, isPullSecret, pullSecretSentence } from "../../kube/apply/marks.ts";
import { type PreparedObject, prepareObjects } from "../../kube/apply/prepareObjects.ts";
import type { CallOptions, ClusterClient, LiveObject, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { findObject } from "../../kube/client/findObject.ts";
import { describe } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { type ObjectPreview, objectPreview } from "../../kube/preview/objectPreview.ts";
import { previewTaken } from "../../kube/preview/previewTaken.ts";
import { clusterFacts } from "../../kube/readClusterFacts.ts";
import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";
import { applyScope } from "../apply/applyScope.ts";
import { EnvironmentProblem } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { guestSentence } from "../read/isReachable.ts";
import { ownersOn } from "../resolveOwner.ts";
import { type ConfigType, completeConfig, configKinds } from "../rules/configObject.ts";
import type { EnvironmentRecord } from "../store/environments.ts";

type Place = Pick<
  EnvironmentRecord,
  "environmentId" | "envKey" | "projectKey" | "namespace" | "production" | "clusterId" | "adoptManagers" | "guest"
>;

/** A configuration object of an environment, and the object under its name in the cluster. */
export interface ConfigOnCluster {
  client: ClusterClient;
  call: CallOptions;
  clusterName: string;
  ref: ObjectRef;
  live: LiveObject | undefined;
}

/** Looks at one object; every use of the answer shares 20 seconds. @throws ClusterError */
export async function configOnCluster(place: Place, type: ConfigType, name: string): Promise<ConfigOnCluster> {
  const { client, record } = await openCluster(place.clusterId);
  const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
  const ref = { ...configKinds[type], name, namespace: place.namespace };
  return { client, call, clusterName: record.name, ref, live: await findObject(client, ref, call) };
}

/**
 * Checks that this environment may change the object: it is the environment's own and none of a service, or it has no
 * owner and is in a namespace of the project.
 * @throws EnvironmentProblem naming the owner
 */
export async function requireOwnConfig(place: Place, { ref, live }: ConfigOnCluster): Promise<void> {
  if (isPullSecret(ref)) throw new EnvironmentProblem(pullSecretSentence);
  if (live === undefined) return;
  if (place.guest === true && live.metadata.labels?.[environmentLabel] === undefined)
    throw new EnvironmentProblem(guestSentence(describe(ref)));
  const index = new Map([[objectKey(ref), live]]);
  const conflicts = await checkOwnership([{ key: objectKey(ref), ref }], index, place, ownersOn(place.clusterId));
  if (conflicts.length > 0) throw new EnvironmentProblem(conflicts.map(({ message }) => message).join("; "));
}

/** Applies the object as the environment's own; data entries that it no longer holds go, whichever client set them. */
export async function applyConfig(place: Place, found: ConfigOnCluster, object: KubeObject): Promise<LiveObject> {
  const { client, call, ref } = found;
  const wanted = sentConfig(place, found, object);
  const takes = adoptableManagers(place.adoptManagers);
  const { object: applied } = await applyByForce(client, wanted, { takes, ...call });
  const left = leftEntries(applied, wanted).map(
    ([field, names]) => [field, Object.fromEntries(names.map((key) => [key, null]))] as const,
  );
  if (left.length === 0) return applied;
  return client.patch(ref, { type: "merge", body: Object.fromEntries(left) }, call);
}

/** What applying the object would change, from the API server's own dry run. @throws ClusterError */
export async function previewConfigObject(
  place: Place,
  found: ConfigOnCluster,
  object: KubeObject,
): Promise<ObjectPreview> {
  const { client, call, live } = found;
  const wanted = sentConfig(place, found, object);
  const { object: tried } = await client.apply(wanted, { force: true, dryRun: true, ...call });
  const applied = await previewTaken(client, tried, adoptableManagers(place.adoptManagers), {
    autoscaled: false,
    ...call,
  });
  const left = leftEntries(applied, wanted).map(([field, names]) => {
    const entries = isRecord(applied[field]) ? Object.entries(applied[field]) : [];
    return [field, Object.fromEntries(entries.filter(([key]) => !names.includes(key)))] as const;
  });
  return objectPreview("", live, { ...applied, ...Object.fromEntries(left) });
}

function sentConfig(place: Place, { clusterName }: ConfigOnCluster, object: KubeObject): KubeObject {
  return prepareConfig(place, completeConfig(object, { ...place, clusterName })).object;
}

/** Entries of data that others set and the object does not hold. */
function leftEntries(applied: LiveObject, wanted: KubeObject): [field: string, names: string[]][] {
  return ["data", "binaryData"].flatMap((field) => {
    const kept = isRecord(wanted[field]) ? wanted[field] : {};
    const names = Object.keys(isRecord(applied[field]) ? applied[field] : {}).filter(
      (key) => !Object.hasOwn(kept, key),
    );
    return names.length === 0 ? [] : [[field, names] as [string, string[]]];
  });
}

/** The object as it is sent: placed in the environment's namespace and labelled as its own. */
function prepareConfig(place: Place, object: KubeObject): PreparedObject {
  const scopes = new Map([[`${object.apiVersion}/${object.kind}`, true]]);
  const [prepared] = prepareObjects([object], applyScope(place), clusterFacts(scopes, [])).objects;
  if (prepared === undefined)
    throw new EnvironmentProblem(`${object.kind} "${object.metadata.name}" cannot be applied`);
  return prepared;
}
