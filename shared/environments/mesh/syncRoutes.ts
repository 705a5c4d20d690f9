import { isDeepStrictEqual } from "node:util";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { environmentLabel, helmFieldManager, ownerLabel } from "../../kube/apply/marks.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import {
  type Family,
  familyObjects,
  isForRelease,
  type Member,
  type MeshService,
} from "../../kube/mesh/familyObjects.ts";
import { settleGatewayPorts } from "../../kube/mesh/gatewayPorts.ts";
import { type MeshKinds, meshKindsOf } from "../../kube/mesh/meshKinds.ts";
import { type MeshPlace, ownedObjects, removeListed } from "../../kube/mesh/ownedObjects.ts";
import { objectKey } from "../../kube/objectKey.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { EnvironmentProblem } from "../failures.ts";
import { type EnvironmentRecord, findEnvironment } from "../store/environments.ts";
import { rolloutsIn } from "../store/rollouts.ts";
import { subEnvironmentsOf } from "../store/subEnvironments.ts";
import { isRouting } from "./isRouting.ts";

const concurrency = 16;

/** Two changes of a family at once see each other after one repetition, three after two. */
const maxRounds = 10;

/**
 * Makes the objects that route calls in a base and its sub-environments what they should be by what exists there now
 * (contract P 9.1, 9.2, 9.4), and removes those of earlier times. What was read is read again at the end: a call that
 * wrote by an older state then sees the newer one and corrects itself, so that no order of changes needs a lock. May be
 * repeated.
 * @param places further places that no longer belong to the family: nothing stays there
 * @throws EnvironmentProblem for a cluster without Istio, and when the family never stops changing; ClusterError
 */
export async function syncRoutes(
  base: Pick<EnvironmentRecord, "projectKey" | "envKey" | "clusterId">,
  places: readonly MeshPlace[] = [],
): Promise<void> {
  const { client } = await openCluster(base.clusterId);
  const kinds = await meshKindsOf(client);
  // Where the kinds are gone, so is everything that was of them.
  if (kinds === undefined && !(await isWanted(base))) return;
  if (kinds === undefined) throw new EnvironmentProblem(noMesh);
  const seen = new Map(places.map((place) => [place.environmentId, place]));
  let wanted = await readWanted(client, kinds, base);
  for (let round = 1; round <= maxRounds; round++) {
    for (const place of wanted.places) seen.set(place.environmentId, place);
    const failure = await converge(client, kinds, [...seen.values()], wanted.objects);
    const now = await readWanted(client, kinds, base);
    const same = isDeepStrictEqual(now, wanted);
    if (same && failure === undefined) return;
    if (same) throw failure;
    wanted = now;
  }
  throw new EnvironmentProblem("the routes of the base and its sub-environments change all the time; try again");
}

export const noMesh =
  "the cluster has no Istio: it serves no VirtualService of networking.istio.io; install Istio, then try again";

interface Wanted {
  objects: KubeObject[];
  places: MeshPlace[];
}

async function isWanted({ projectKey, envKey }: Pick<EnvironmentRecord, "projectKey" | "envKey">): Promise<boolean> {
  const environment = await findEnvironment(projectKey, envKey);
  return environment !== undefined && isRouting(environment);
}

/** Nothing for an environment that is no longer a base. */
async function readWanted(
  client: ClusterClient,
  kinds: MeshKinds,
  { projectKey, envKey }: Pick<EnvironmentRecord, "projectKey" | "envKey">,
): Promise<Wanted> {
  const base = await findEnvironment(projectKey, envKey);
  if (base === undefined) return { objects: [], places: [] };
  const subs = (await subEnvironmentsOf(projectKey, envKey)).filter(
    ({ joined, status }) => joined === true && status !== "deleting",
  );
  const places = [base, ...subs].map(({ namespace, environmentId }) => ({ namespace, environmentId }));
  if (!isRouting(base)) return { objects: [], places };
  const [first, ...others] = await mapBounded([base, ...subs], concurrency, (environment) =>
    memberOf(client, environment),
  );
  const family: Family | undefined = first && { base: first, subs: others, ...(base.calls && { rules: base.calls }) };
  return { objects: family === undefined ? [] : familyObjects(kinds, family), places };
}

async function memberOf(
  client: ClusterClient,
  { environmentId, envKey, clusterId, namespace, portals = {} }: EnvironmentRecord,
): Promise<Member> {
  const [{ items }, rollouts] = await Promise.all([
    client.list({ apiVersion: "v1", kind: "Service" }, { namespace }),
    rolloutsIn(clusterId, namespace),
  ]);
  const standing: MeshService[] = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const services = standing.filter(({ metadata }) => metadata.labels?.[environmentLabel] === environmentId);
  const foreign = standing
    .filter((service) => !services.includes(service) && service.metadata.labels?.[ownerLabel] !== environmentId)
    .map(({ metadata }) => metadata.name);
  const shares = Object.fromEntries(
    rollouts.flatMap(({ kubeService, istio }) => (istio === undefined ? [] : [[kubeService, istio.weight]])),
  );
  return { environmentId, envKey, namespace, services, foreign: new Set(foreign), portals, shares };
}

/** @returns why it could not, for the caller to judge by what exists then */
async function converge(
  client: ClusterClient,
  kinds: MeshKinds,
  places: readonly MeshPlace[],
  objects: readonly KubeObject[],
): Promise<unknown> {
  try {
    // A name is known in its namespace before calls are led to it.
    const services = objects.filter(({ kind }) => kind === "Service");
    await applyAll(client, services);
    await applyAll(
      client,
      objects.filter((object) => !services.includes(object)),
    );
    const wanted = new Set(objects.map(placeKey));
    const owned = (await mapBounded(places, concurrency, (place) => ownedObjects(client, kinds, place))).flat();
    const leaving = owned.filter((object) => !wanted.has(placeKey(object)));
    // Ports close before their Gateways go: after a crash in between the next call finds the Gateway and does it again.
    if ([...leaving, ...objects].some(({ kind }) => kind === kinds.gateway.kind))
      await settleGatewayPorts(client, kinds, leaving);
    await removeListed(client, leaving);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function applyAll(client: ClusterClient, objects: readonly KubeObject[]): Promise<void> {
  await mapBounded(objects, concurrency, (object) =>
    client.apply(object, { force: true, ...(isForRelease(object) && { fieldManager: helmFieldManager }) }),
  );
}

const placeKey = (object: KubeObject): string => `${object.metadata.namespace}/${objectKey(refOf(object))}`;
