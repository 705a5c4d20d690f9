import { loadText } from "../aws/objects/objectStore.ts";
import { openCluster } from "../clusters/openCluster.ts";
import { applyObjects } from "../kube/applyObjects.ts";
import { TerminalClusterError } from "../kube/client/errors.ts";
import { prepareObjects } from "../kube/prepareObjects.ts";
import { clusterFacts } from "../kube/readClusterFacts.ts";
import { isDefinition } from "../manifest/isDefinition.ts";
import { parseManifest } from "../manifest/parseManifest.ts";
import { log } from "../settings/log.ts";
import { mapBounded } from "../values/mapBounded.ts";
import { applyScope } from "./applyScope.ts";
import { claimsOf } from "./clusterObjects/claimsOf.ts";
import { forces } from "./forces.ts";
import { ownersOn } from "./resolveOwner.ts";
import type { Change, ServicePlan } from "./store/changes.ts";

const atOnce = 8;

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
    const definitions = parseManifest(await loadText(text)).filter(isDefinition);
    const scopes = new Map(definitions.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, false]));
    const scope = applyScope(change, name);
    const { objects } = prepareObjects(definitions, scope, clusterFacts(scopes, []));
    const owners = {
      recorded: {},
      previous: [],
      resolveOwner: ownersOn(change.clusterId),
      claims: claimsOf(change, name),
    };
    try {
      await applyObjects(client, { objects, scope, ...owners, ...forces(change), prunes: false });
    } catch (error) {
      if (!(error instanceof TerminalClusterError)) throw error;
      log.warn("definitions not applied ahead", { changeId: change.changeId, service: name, internal: error.message });
    }
  });
}
