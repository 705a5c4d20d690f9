import { openCluster } from "../../clusters/openCluster.ts";
import { unselectedWorkloads } from "../../kube/mesh/unselectedWorkloads.ts";
import { failingWith } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";

/**
 * Deployments and StatefulSets of an environment that no Service selects, which calls by name cannot reach (contract P 9).
 * @throws ApiError 404 unknown environment; 6076 for a cluster that cannot be read
 */
export async function readUnselected(name: EnvironmentName): Promise<string[]> {
  const { environment } = await requireEnvironment(name, { consistent: false });
  return failingWith(6076, async () => {
    const { client } = await openCluster(environment.clusterId);
    const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
    return unselectedWorkloads(client, environment, call);
  });
}
