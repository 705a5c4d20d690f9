import { EnvironmentProblem } from "../failures.ts";
import { findClusterObjects, removeClusterObject, storeClusterObject } from "../store/clusterObjects.ts";
import type { EnvironmentService } from "../store/environments.ts";
import type { Claimant } from "./clusterScopedOwnersOf.ts";
import { maxTries } from "./owners.ts";

/** Takes services from the owners of their cluster-scoped objects, which stay in the cluster as they are. May be repeated. */
export async function releaseObjects(
  place: Claimant["place"],
  services: readonly Pick<EnvironmentService, "name" | "clusterObjects">[],
): Promise<void> {
  let left = services.flatMap(({ name, clusterObjects = [] }) => clusterObjects.map((ref) => ({ name, ref })));
  for (let tries = 1; left.length > 0; tries++) {
    if (tries > maxTries) throw new EnvironmentProblem("its objects are being changed by others; try again");
    const records = await findClusterObjects(
      place.clusterId,
      left.map(({ ref }) => ref),
    );
    const lost = await Promise.all(
      left.map(async ({ name, ref }, at) => {
        const record = records[at];
        if (record === undefined) return [];
        const { contentHash, leaving } = record;
        const owners = record.owners.filter(
          (owner) => owner.environmentId !== place.environmentId || owner.serviceName !== name,
        );
        if (leaving !== undefined || owners.length === record.owners.length) return [];
        const next = { contentHash, owners };
        const won =
          owners.length === 0
            ? await removeClusterObject(record)
            : await storeClusterObject(place.clusterId, ref, record, next);
        return won ? [] : [{ name, ref }];
      }),
    );
    left = lost.flat();
  }
}
