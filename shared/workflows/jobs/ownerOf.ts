import { EnvironmentProblem } from "../../environments/failures.ts";
import { requireConsent } from "../../environments/plan/boundsOf.ts";
import { guestSentence, isReachable } from "../../environments/read/isReachable.ts";
import { ownersOn } from "../../environments/resolveOwner.ts";
import {
  type EnvironmentRecord,
  type EnvironmentReference,
  findEnvironment,
} from "../../environments/store/environments.ts";
import { environmentLabel } from "../../kube/apply/marks.ts";
import type { LiveObject } from "../../kube/client/ClusterClient.ts";
import { describe } from "../../kube/client/objectRef.ts";
import type { OwnNamespace } from "./ownNamespace.ts";

/**
 * The environment of the project that applied an object; undefined when none did.
 * @throws EnvironmentProblem when an environment of another project that shares the namespace applied it, or when none
 * did in another project's namespace (decisions 17.4); ApiError 403 when the boundary no longer names the namespace
 */
export async function ownerOf(live: LiveObject, place: OwnNamespace): Promise<EnvironmentReference | undefined> {
  const environmentId = live.metadata.labels?.[environmentLabel];
  const own = place.environments.find((environment) => environment.environmentId === environmentId);
  const environment = await recordOf(own ?? place.environments[0]);
  await requireConsent(environment, {});
  if (own !== undefined) return own;
  const what = describe({ kind: live.kind, name: live.metadata.name });
  if (await isReachable(environment, live.metadata.labels, ownersOn(place.clusterId))) return undefined;
  throw new EnvironmentProblem(
    environmentId === undefined ? guestSentence(what) : `${what} belongs to an environment of another project`,
  );
}

async function recordOf(named: EnvironmentReference | undefined): Promise<EnvironmentRecord> {
  const record = named && (await findEnvironment(named.projectKey, named.envKey));
  if (record === undefined) throw new EnvironmentProblem("the environment was deleted meanwhile");
  return record;
}
