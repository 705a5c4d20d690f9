import { ClusterNotFound } from "../clients/kubernetes/errors.ts";
import { openCluster } from "../clusters/openCluster.ts";
import { environmentLabel } from "../deploy/marks.ts";
import { notFound } from "../domain/errors/apiError.ts";
import { EnvironmentProblem, failingWith } from "./failures.ts";
import { type EnvironmentName, requireEnvironment } from "./requireEnvironment.ts";

/**
 * Deletes a pod of an environment, so that its controller makes a new one (contract P 5.9).
 * @throws ApiError 404 unknown environment, or a pod that is not its own; 6086 for a pod that nothing would make again
 */
export async function restartPod(name: EnvironmentName, podName: string): Promise<void> {
  const { environment } = await requireEnvironment(name);
  await failingWith(6086, async () => {
    const { client } = await openCluster(environment.clusterId);
    const ref = { apiVersion: "v1", kind: "Pod", name: podName, namespace: environment.namespace };
    try {
      const { metadata } = await client.get(ref);
      if (metadata.labels?.[environmentLabel] !== environment.environmentId) throw podMissing(podName, name.envKey);
      if (metadata.ownerReferences?.some(({ controller }) => controller === true) !== true)
        throw new EnvironmentProblem(`nothing would make pod "${podName}" again: no controller owns it`);
      await client.remove(ref, { uid: metadata.uid });
    } catch (error) {
      throw error instanceof ClusterNotFound ? podMissing(podName, name.envKey) : error;
    }
  });
}

function podMissing(podName: string, envKey: string): Error {
  return notFound(`pod ${podName} in environment ${envKey}`);
}
