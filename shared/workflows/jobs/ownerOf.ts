import { EnvironmentProblem } from "../../environments/failures.ts";
import { ownersOn } from "../../environments/resolveOwner.ts";
import type { EnvironmentReference } from "../../environments/store/environments.ts";
import type { LiveObject } from "../../kube/client/ClusterClient.ts";
import { environmentLabel } from "../../kube/marks.ts";
import type { OwnNamespace } from "./ownNamespace.ts";

/**
 * The environment of the project that applied an object; undefined when none did.
 * @throws EnvironmentProblem when it is an environment of another project that shares the namespace
 */
export async function ownerOf(live: LiveObject, place: OwnNamespace): Promise<EnvironmentReference | undefined> {
  const environmentId = live.metadata.labels?.[environmentLabel];
  if (environmentId === undefined) return undefined;
  const own = place.environments.find((environment) => environment.environmentId === environmentId);
  if (own !== undefined) return own;
  if ((await ownersOn(place.clusterId)(environmentId)) === undefined) return undefined;
  throw new EnvironmentProblem(`${live.kind} "${live.metadata.name}" belongs to an environment of another project`);
}
