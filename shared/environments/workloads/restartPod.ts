import { ApiError } from "../../base/errors/apiError.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { ClusterNotFound } from "../../kube/client/errors.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import { previewDeletion } from "../preview/previewRemoval.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { podMissing, requirePod } from "./requirePod.ts";

/**
 * Deletes a pod of an environment, so that its controller recreates it (contract P 5.9).
 * @throws ApiError 404 unknown environment, or a pod that is not its own; 6081 while it sleeps; 6086 for a pod that
 * nothing would make again
 */
export async function restartPod(name: EnvironmentName, podName: string): Promise<void> {
  await withPod(name, podName, (client, pod) => client.remove(refOf(pod), { uid: pod.metadata.uid }));
}

/** What a restart would delete. @throws ApiError as `restartPod` */
export function previewPodRestart(name: EnvironmentName, podName: string): Promise<ObjectPreview[]> {
  return withPod(name, podName, async (client, pod) => [await previewDeletion(client, pod, {})]);
}

async function withPod<T>(
  name: EnvironmentName,
  podName: string,
  work: (client: ClusterClient, pod: LiveObject) => Promise<T>,
): Promise<T> {
  const { environment } = await requireEnvironment(name);
  if (environment.status === "sleeping") throw new ApiError(6081, "environment is sleeping; wake it first");
  return failingWith(6086, async () => {
    const { client } = await openCluster(environment.clusterId);
    try {
      const pod = await requirePod(client, environment, podName);
      if (pod.metadata.ownerReferences?.some(({ controller }) => controller === true) !== true)
        throw new EnvironmentProblem(`nothing would recreate pod "${podName}": no controller owns it`);
      return await work(client, pod);
    } catch (error) {
      throw error instanceof ClusterNotFound ? podMissing(podName, name.envKey) : error;
    }
  });
}
