import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { log } from "../../base/settings/log.ts";
import { type ApplyRequest, applyObjects } from "../../kube/apply/applyObjects.ts";
import { prepareObjects } from "../../kube/apply/prepareObjects.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { TerminalClusterError } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { clusterFacts } from "../../kube/readClusterFacts.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { isDefinition } from "../../manifest/schema/isDefinition.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { ownersOn } from "../resolveOwner.ts";
import type { Change, ServicePlan } from "../store/changes.ts";
import type { DeployPlace } from "./applyPlan.ts";
import { applyScope } from "./applyScope.ts";
import { forces } from "./forces.ts";

const atOnce = 8;

/**
 * Applies definitions of kinds for a service and waits until they are served. May be repeated.
 * @returns why the cluster refused some of them; empty when it took them all
 * @throws ClusterError when the cluster cannot be read at all
 */
export async function installDefinitions(
  client: ClusterClient,
  place: DeployPlace,
  service: string,
  definitions: readonly KubeObject[],
  force: Pick<ApplyRequest, "force" | "takes">,
): Promise<string[]> {
  const scopes = new Map(definitions.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, false]));
  const scope = applyScope(place, service);
  const { objects, problems } = prepareObjects(definitions, scope, clusterFacts(scopes, []));
  const { results } = await applyObjects(client, {
    ...{ objects, scope, recorded: {}, previous: [], prunes: false, ...force },
    resolveOwner: ownersOn(place.clusterId),
    claims: clusterScopedOwnersOf(place, service),
  });
  const failures = results.flatMap(({ failure }) => failure ?? []);
  return [...problems, ...failures].map(({ message }) => message);
}

/**
 * Brings the definitions of kinds of all services of a change into the cluster, until they are served, so that services
 * may name each other's kinds. What is refused here its own service tells. May be repeated.
 * @throws RetryableClusterError
 */
export async function applyDefinitions(change: Change, plans: readonly ServicePlan[]): Promise<void> {
  const defining = plans.filter(({ defines, result }) => defines === true && result === undefined);
  if (defining.length === 0) return;
  const { client } = await openCluster(change.clusterId);
  await mapBounded(defining, atOnce, async ({ name, text }) => {
    const definitions = parseManifest(await readStoredText(text)).filter(isDefinition);
    try {
      await installDefinitions(client, change, name, definitions, forces(change));
    } catch (error) {
      if (!(error instanceof TerminalClusterError)) throw error;
      log.warn("definitions not applied ahead", { changeId: change.changeId, service: name, internal: error.message });
    }
  });
}
