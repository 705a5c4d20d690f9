import { findNamespace } from "../../kube/apply/ensureNamespace.ts";
import { madeForAnnotation } from "../../kube/apply/marks.ts";
import { prepareObjects } from "../../kube/apply/prepareObjects.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { type ObjectPreview, objectPreview } from "../../kube/preview/objectPreview.ts";
import { previewObjects } from "../../kube/preview/previewObjects.ts";
import { clusterFacts } from "../../kube/readClusterFacts.ts";
import { findProject } from "../../projects/store/projects.ts";
import { applyScope } from "../apply/applyScope.ts";
import { forces } from "../apply/forces.ts";
import { sweptKinds } from "../apply/leaveCluster.ts";
import { type Actor, decideEnvironment, type NewEnvironment } from "../change/createEnvironment.ts";
import { sentConfigObject } from "../configs/sentConfigObject.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { requireNamespace } from "../requireNamespace.ts";
import { type EnvironmentRecord, environmentsOnCluster, findEnvironment } from "../store/environments.ts";
import { previewPlans } from "./previewPlans.ts";
import { previewDeletion, previewRemoval } from "./previewRemoval.ts";

const limits = () => ({ signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds });

/**
 * What creating an environment would do: its namespace when there is none, its configuration and its services.
 * @throws ApiError as the creation itself
 */
export function previewCreation(wanted: NewEnvironment, actor: Actor): Promise<ObjectPreview[]> {
  return failingWith(6074, async () => {
    const { environment, plans } = await decideEnvironment(wanted, actor);
    if ((await findEnvironment(wanted.projectKey, wanted.envKey)) !== undefined)
      throw new EnvironmentProblem(`environment already exists: ${wanted.envKey} in project ${wanted.projectKey}`);
    const { client } = await openCluster(wanted.clusterId);
    const call = limits();
    const namespace = await findNamespace(client, wanted.namespace, call);
    if (namespace !== undefined) await requireNamespace(environment, namespace, actor);
    const made = { apiVersion: "v1", kind: "Namespace", metadata: { name: wanted.namespace } };
    const objects = wanted.envConfigs.map(({ yamlData }) => sentConfigObject(yamlData));
    const facts = clusterFacts(new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, true])), []);
    const configs = await previewObjects(client, {
      serviceName: "",
      objects: prepareObjects(objects, applyScope(environment), facts).objects,
      live: new Map(),
      force: true,
      namespaceStands: namespace !== undefined,
      ...call,
    });
    if (configs.refused.length > 0) throw new EnvironmentProblem(configs.refused.join("; "));
    return [
      ...(namespace === undefined ? [objectPreview("", undefined, made)] : []),
      ...configs.previews,
      ...(await previewPlans(environment, plans, forces({ kind: "create", adopt: wanted.adopt }))),
    ];
  });
}

/** What deleting an environment would delete in its cluster: nothing when its objects stay. @throws ApiError 404, 6077 */
export async function previewDeletionOf(
  name: EnvironmentName,
  { deleteObjects, deleteCrds }: { deleteObjects: boolean; deleteCrds?: boolean | undefined },
): Promise<ObjectPreview[]> {
  const { environment, services, leaving } = await requireEnvironment(name);
  const project = deleteObjects ? await findProject(name.projectKey) : undefined;
  if (project === undefined || project.projectType === "loaded" || environment.production) return [];
  return failingWith(6077, async () => {
    const names = [...services.map((service) => service.name), ...leaving];
    const { client } = await openCluster(environment.clusterId);
    const call = limits();
    const namespace = await namespaceToGo(client, environment, call);
    const removal = { everything: sweptKinds, deleteCrds, namespaceGoes: namespace !== undefined };
    const objects = await previewRemoval(environment, names, removal);
    return namespace === undefined ? objects : [...objects, await previewDeletion(client, namespace, call)];
  });
}

/** The namespace that is deleted with its environment: one that was made for it and that no other environment uses. */
async function namespaceToGo(
  client: ClusterClient,
  { clusterId, namespace, environmentId }: EnvironmentRecord,
  call: CallOptions,
): Promise<LiveObject | undefined> {
  const sharing = await environmentsOnCluster(clusterId, namespace);
  if (sharing.some((other) => other.environmentId !== environmentId)) return undefined;
  const found = await findNamespace(client, namespace, call);
  return found?.metadata.annotations?.[madeForAnnotation] === undefined ? undefined : found;
}
