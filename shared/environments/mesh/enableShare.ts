import { openCluster } from "../../kube/clusters/openCluster.ts";
import { restartForProxy, setInjection } from "../../kube/mesh/injection.ts";
import { podsInMesh } from "../../kube/mesh/proxies.ts";
import { requireCurrentChange } from "../change/changeControl.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { Change } from "../store/changes.ts";
import { syncRoutes } from "./syncRoutes.ts";

/**
 * Makes an environment a base (contract P 9.1, decisions 11.14): new pods of its namespace get the mesh's proxy, its
 * Services get routes, pods without the proxy are made again. May stop anywhere and be repeated.
 * @throws EnvironmentProblem naming what could not be done; ClusterError; ChangeSuperseded
 */
export async function enableShare(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  const { client } = await openCluster(change.clusterId);
  await setInjection(client, change.namespace, true);
  await syncRoutes(change);
  const refused = await restartForProxy(client, await podsInMesh(client, change), { wanted: true, at: timeOf(change) });
  if (refused.length > 0) throw new EnvironmentProblem(refused.join("; "));
}

/** The same for every try of the change, so that it restarts nothing twice. */
export function timeOf({ startedAt }: Pick<Change, "startedAt">): string {
  return new Date(startedAt * 1000).toISOString();
}
