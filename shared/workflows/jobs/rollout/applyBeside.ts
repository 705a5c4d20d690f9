import { EnvironmentProblem } from "../../../environments/failures.ts";
import { rolloutLabel } from "../../../kube/apply/marks.ts";
import type { ApplyOptions, ClusterClient, LiveObject } from "../../../kube/client/ClusterClient.ts";
import { findObject } from "../../../kube/client/findObject.ts";
import { refOf } from "../../../kube/client/objectRef.ts";
import type { KubeObject } from "../../../manifest/schema/kubeObject.ts";

/** @throws EnvironmentProblem when an object of this name exists that is not of this task */
export async function applyBeside(
  client: ClusterClient,
  object: KubeObject,
  options?: ApplyOptions,
): Promise<LiveObject> {
  const standing = await findObject(client, refOf(object));
  if (standing !== undefined && standing.metadata.labels?.[rolloutLabel] !== object.metadata.labels?.[rolloutLabel])
    throw new EnvironmentProblem(
      `${object.kind} "${object.metadata.name}" exists and is not of this task; the rollout needs that name, so rename or delete it`,
    );
  return (await client.apply(object, options)).object;
}
