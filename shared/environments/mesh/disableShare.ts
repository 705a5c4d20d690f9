import { findNamespace } from "../../kube/apply/ensureNamespace.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { injects, restartForProxy, setInjection } from "../../kube/mesh/injection.ts";
import { podsInMesh } from "../../kube/mesh/proxies.ts";
import { requireCurrentChange } from "../change/changeControl.ts";
import { startDeletion } from "../change/startDeletion.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { Change } from "../store/changes.ts";
import { environmentsOnCluster, findEnvironment } from "../store/environments.ts";
import { subEnvironmentsOf } from "../store/subEnvironments.ts";
import { timeOf } from "./enableShare.ts";
import { isRouting } from "./isRouting.ts";
import { syncRoutes } from "./syncRoutes.ts";

/**
 * Makes a base an ordinary environment (contract P 9.2, decisions 11.14): its routes go, its sub-environments are
 * deleted, its pods are made again without the mesh's proxy. May stop anywhere and be repeated.
 * @throws EnvironmentProblem naming what could not be done; ClusterError; ChangeSuperseded
 */
export async function disableShare(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  await dissolve(change, { deleteObjects: true });
  const { client } = await openCluster(change.clusterId);
  if (await othersNeedProxies(change)) return;
  await setInjection(client, change.namespace, false);
  if (injects(await findNamespace(client, change.namespace)) === "revision") return;
  const pods = await podsInMesh(client, change);
  const refused = await restartForProxy(client, pods, { wanted: false, at: timeOf(change) });
  if (refused.length > 0) throw new EnvironmentProblem(refused.join("; "));
}

/**
 * Takes the routes of a base away and begins the deletion of its sub-environments. Where their objects stay, so do the
 * names of the base's Services in their namespaces.
 */
export async function dissolve(change: Change, { deleteObjects }: { deleteObjects: boolean }): Promise<void> {
  if (deleteObjects) await syncRoutes(change);
  for (const sub of await subEnvironmentsOf(change.projectKey, change.envKey))
    await startDeletion(sub, { deleteObjects }, { name: change.by });
  if (!deleteObjects) await syncRoutes(change);
}

/** Several environments may be in one namespace: the proxy stays as long as another one routes calls there. */
export async function othersNeedProxies({ clusterId, namespace, environmentId }: Change): Promise<boolean> {
  const others = (await environmentsOnCluster(clusterId, namespace)).filter(
    (other) => other.environmentId !== environmentId,
  );
  const found = await Promise.all(others.map(({ projectKey, envKey }) => findEnvironment(projectKey, envKey)));
  return found.some((other) => other !== undefined && (other.baseEnv !== undefined || isRouting(other)));
}
