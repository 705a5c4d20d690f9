import { environmentLabel, serviceLabel } from "../../kube/apply/marks.ts";
import type { LabelScope } from "../../kube/apply/prepareObjects.ts";
import type { LiveObject, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { describe } from "../../kube/client/objectRef.ts";
import { ownersOn } from "../resolveOwner.ts";
import type { ClusterOwner } from "../store/clusterObjects.ts";
import { findEnvironment, findEnvironmentService } from "../store/environments.ts";
import type { Claimant } from "./clusterScopedOwnersOf.ts";

/** Writes that lost to others are tried again this often. */
export const maxTries = 10;

export function ownerOf({ place, serviceName = "" }: Pick<Claimant, "place" | "serviceName">): ClusterOwner {
  const { environmentId, projectKey, envKey, production } = place;
  return { environmentId, projectKey, envKey, production, serviceName };
}

export function scopeOf({ envKey, ...owner }: ClusterOwner): LabelScope {
  return { ...owner, environmentKey: envKey };
}

/** The owners of an object of which nothing is recorded yet, by its labels: none when the service no longer exists. */
export async function ownersByLabel(
  { place, serviceName }: Pick<Claimant, "place" | "serviceName">,
  live: LiveObject | undefined,
): Promise<ClusterOwner[]> {
  const { [environmentLabel]: environmentId, [serviceLabel]: service = "" } = live?.metadata.labels ?? {};
  if (environmentId === undefined) return [];
  if (environmentId === place.environmentId) {
    const isOwn = service === "" || serviceName === undefined || service === serviceName;
    // What a service left behind when it was removed is free.
    const stands = isOwn || (await findEnvironmentService(place.projectKey, place.envKey, service)) !== undefined;
    return stands ? [ownerOf({ place, serviceName: service })] : [];
  }
  const named = await ownersOn(place.clusterId)(environmentId);
  if (named === undefined) return [];
  const { projectKey, environmentKey: envKey } = named;
  const [environment, standing] = await Promise.all([
    findEnvironment(projectKey, envKey),
    findEnvironmentService(projectKey, envKey, service),
  ]);
  if (environment?.environmentId !== environmentId || standing === undefined) return [];
  return [{ environmentId, projectKey, envKey, production: environment.production, serviceName: service }];
}

/** `ClusterRole "reader" belongs to service "web" of environment "dev" of project "shop"`. */
export function belongsSentence(ref: ObjectRef, owners: readonly ClusterOwner[]): string {
  const named = owners.map(
    ({ serviceName, envKey, projectKey }) =>
      `service "${serviceName}" of environment "${envKey}" of project "${projectKey}"`,
  );
  return `${describe({ kind: ref.kind, name: ref.name })} belongs to ${named.join(" and ")}`;
}
