import { openCluster } from "../clusters/openCluster.ts";
import { mapBounded } from "../deploy/mapBounded.ts";
import { environmentLabel } from "../deploy/marks.ts";
import { kindKey, objectKey } from "../deploy/objectKey.ts";
import { readLive } from "../deploy/readLive.ts";
import { restartWorkload } from "../deploy/restartWorkload.ts";
import { ApiError } from "../domain/errors/apiError.ts";
import { EnvironmentProblem, failingWith } from "./failures.ts";
import type { EnvironmentName } from "./requireEnvironment.ts";
import { requireService } from "./standingService.ts";
import { writePullSecret } from "./writePullSecret.ts";

const restartable = new Set(["Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "CloneSet.apps.kruise.io"]);

/**
 * Restarts every workload of a service by the annotation that kubectl uses (contract P 5.6); returns when the cluster
 * accepted it, pods roll afterwards. Logins of cloud registries are renewed first.
 * @throws ApiError 404 unknown environment or service; 6081 while it sleeps; 6080 with what could not be restarted
 */
export async function restartService(name: EnvironmentName, serviceName: string): Promise<void> {
  const { environment, service } = await requireService(name, serviceName);
  if (environment.status === "sleeping") throw new ApiError(6081, "environment is sleeping; wake it first");
  await failingWith(6080, async () => {
    if (environment.status === "deleting") throw new EnvironmentProblem("environment is being deleted");
    const workloads = service.workloads.filter((workload) => restartable.has(kindKey(workload)));
    if (workloads.length === 0)
      throw new EnvironmentProblem(`service ${serviceName} has no Deployment, StatefulSet or DaemonSet to restart`);
    const { client } = await openCluster(environment.clusterId);
    await writePullSecret(client, environment);
    const live = await readLive(client, workloads, environment.namespace, {
      labelSelector: `${environmentLabel}=${environment.environmentId}`,
    });
    const at = new Date().toISOString();
    const problems = await mapBounded(workloads, 16, async (workload) => {
      const found = live.get(objectKey(workload));
      if (found === undefined) return `${workload.kind} "${workload.name}" does not exist in the cluster`;
      return restartWorkload(client, found, at);
    });
    const failed = problems.filter((problem) => problem !== undefined);
    if (failed.length > 0) throw new EnvironmentProblem(failed.join("; "));
  });
}
