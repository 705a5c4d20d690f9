import { openCluster } from "../../clusters/openCluster.ts";
import { setInjection } from "../../kube/mesh/injection.ts";
import { log } from "../../settings/log.ts";
import { reasonOf } from "../failures.ts";
import type { Change } from "../store/changes.ts";
import { type EnvironmentRecord, findEnvironment } from "../store/environments.ts";
import { dissolve, othersNeedProxies } from "./disableShare.ts";
import { syncRoutes } from "./syncRoutes.ts";

/**
 * What routing has of an environment that is being deleted, before its services go (contract P 9.4, 17.1): calls are led
 * to it no more, and the sub-environments of a base are deleted with it in the same way. Where its objects stay, a cluster
 * that does not answer does not keep the record alive.
 * @throws ClusterError when its objects go
 */
export async function leaveMesh(change: Change, environment: EnvironmentRecord): Promise<void> {
  if (environment.baseEnv === undefined && environment.share === undefined) return;
  try {
    await leave(change, environment);
  } catch (error) {
    if (change.deleteObjects || reasonOf(error) === undefined) throw error;
    log.warn("routes not removed", { changeId: change.changeId, internal: reasonOf(error) });
  }
}

async function leave(change: Change, { baseEnv, ...environment }: EnvironmentRecord): Promise<void> {
  if (baseEnv === undefined) {
    await dissolve(change, change);
    if (!change.deleteObjects || (await othersNeedProxies(change))) return;
    const { client } = await openCluster(change.clusterId);
    await setInjection(client, change.namespace, false);
    return;
  }
  const { projectKey, clusterId, namespace, environmentId } = environment;
  const base = (await findEnvironment(projectKey, baseEnv)) ?? { projectKey, envKey: baseEnv, clusterId };
  await syncRoutes(base, change.deleteObjects ? [{ namespace, environmentId }] : []);
}
