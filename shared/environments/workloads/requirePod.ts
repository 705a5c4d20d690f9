import { notFound } from "../../base/errors/apiError.ts";
import { environmentLabel } from "../../kube/apply/marks.ts";
import type { CallOptions, ClusterClient } from "../../kube/client/ClusterClient.ts";
import { findObject } from "../../kube/client/findObject.ts";
import { isPod, type LivePod } from "../../kube/live/liveTypes.ts";
import type { EnvironmentRecord } from "../store/environments.ts";

/**
 * A pod of an environment: it is in its namespace and has its label.
 * @throws ApiError 404 for a pod that does not exist and, in the same words, for one that is not the environment's
 */
export async function requirePod(
  client: ClusterClient,
  { environmentId, namespace, envKey }: Pick<EnvironmentRecord, "environmentId" | "namespace" | "envKey">,
  podName: string,
  limits?: CallOptions,
): Promise<LivePod> {
  const found = await findObject(client, { apiVersion: "v1", kind: "Pod", name: podName, namespace }, limits);
  if (found === undefined || !isPod(found) || found.metadata.labels?.[environmentLabel] !== environmentId)
    throw podMissing(podName, envKey);
  return found;
}

export function podMissing(podName: string, envKey: string): Error {
  return notFound(`pod ${podName} in environment ${envKey}`);
}
