import type { WorkloadPlace } from "../../../environments/store/rollouts.ts";
import type { ClusterClient } from "../../../kube/client/ClusterClient.ts";
import { deploymentRef, replicasOf } from "./findTarget.ts";

/** How many pods a workload has while it is rolled out; the environment's record keeps what people asked for. */
export async function setReplicas(
  client: ClusterClient,
  place: Pick<WorkloadPlace, "namespace" | "name">,
  replicas: number,
): Promise<void> {
  const ref = deploymentRef(place);
  if (replicasOf(await client.get(ref)) === replicas) return;
  await client.patch(ref, { type: "merge", body: { spec: { replicas } } });
}
