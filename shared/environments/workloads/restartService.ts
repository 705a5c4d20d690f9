import { mapBounded } from "../../base/common/mapBounded.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { environmentLabel } from "../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { readLive } from "../../kube/live/readLive.ts";
import { previewRestart, restartWorkload } from "../../kube/live/restartWorkload.ts";
import { kindKey, objectKey } from "../../kube/objectKey.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { writePullSecret } from "../apply/writePullSecret.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import { requireService } from "../plan/standingService.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import { requireNoRollout } from "./requireNoRollout.ts";

export const restartable = new Set([
  "Deployment.apps",
  "StatefulSet.apps",
  "DaemonSet.apps",
  "CloneSet.apps.kruise.io",
]);

/**
 * Restarts every workload of a service by the annotation that kubectl uses (contract P 5.6); returns when the cluster
 * accepted it, pods roll afterwards. Logins of cloud registries are renewed first.
 * @param at the annotation's value: the same one again restarts nothing
 * @throws ApiError 404 unknown environment or service; 6081 while it sleeps; 6080 with what could not be restarted
 */
export async function restartService(name: EnvironmentName, serviceName: string, at = new Date()): Promise<void> {
  const restarting = await restartingOf(name, serviceName);
  await failingWith(6080, async () => {
    const { client, environment, workloads } = await findWorkloads(restarting);
    await writePullSecret(client, environment);
    const problems = await mapBounded(workloads, 16, async (workload) =>
      typeof workload === "string" ? workload : restartWorkload(client, workload, at.toISOString()),
    );
    throwAny(problems);
  });
}

/** What a restart would change. @throws ApiError as `restartService` */
export async function previewServiceRestart(name: EnvironmentName, serviceName: string): Promise<ObjectPreview[]> {
  const restarting = await restartingOf(name, serviceName);
  return failingWith(6080, async () => {
    const { client, workloads } = await findWorkloads(restarting);
    throwAny(workloads.map((workload) => (typeof workload === "string" ? workload : undefined)));
    const found = workloads.filter((workload) => typeof workload !== "string");
    return mapBounded(found, 16, async (workload) => previewRestart(client, await client.get(refOf(workload))));
  });
}

type Restarting = Awaited<ReturnType<typeof requireService>>;

async function restartingOf(name: EnvironmentName, serviceName: string): Promise<Restarting> {
  const restarting = await requireService(name, serviceName);
  if (restarting.environment.status === "sleeping") throw new ApiError(6081, "environment is sleeping; wake it first");
  return restarting;
}

/** Metadata of what can be restarted; a sentence for each that is not there. */
async function findWorkloads({ environment, service }: Restarting): Promise<{
  client: ClusterClient;
  environment: Restarting["environment"];
  workloads: (LiveObject | string)[];
}> {
  if (environment.status === "deleting") throw new EnvironmentProblem("environment is being deleted");
  const wanted = service.workloads.filter((workload) => restartable.has(kindKey(workload)));
  if (wanted.length === 0)
    throw new EnvironmentProblem(`service ${service.name} has no Deployment, StatefulSet or DaemonSet to restart`);
  await requireNoRollout(environment, wanted);
  const { client } = await openCluster(environment.clusterId);
  const live = await readLive(client, wanted, environment.namespace, {
    labelSelector: `${environmentLabel}=${environment.environmentId}`,
  });
  const workloads = wanted.map(
    (workload) => live.get(objectKey(workload)) ?? `${workload.kind} "${workload.name}" does not exist in the cluster`,
  );
  return { client, environment, workloads };
}

function throwAny(problems: readonly (string | undefined)[]): void {
  const failed = problems.filter((problem) => problem !== undefined);
  if (failed.length > 0) throw new EnvironmentProblem(failed.join("; "));
}
