import type { ObjectRef } from "../client/ClusterClient.ts";
import { describe } from "../client/objectRef.ts";
import type { LiveIndex } from "../live/readLive.ts";
import { environmentLabel, serviceLabel } from "./marks.ts";
import type { ApplyScope, PreparedObject } from "./prepareObjects.ts";

/** How an environment is called; undefined when it exists no longer. */
export type ResolveOwner = (
  environmentId: string,
) => Promise<{ projectKey: string; environmentKey: string } | undefined>;

export interface OwnershipConflict {
  ref: ObjectRef;
  /** `resource ownership conflict: …`, naming object and owner (contract P 4.3 step 8). */
  message: string;
}

/**
 * Finds objects that another environment, or another service of this one, owns by their live labels. What an environment
 * left behind that exists no longer is free (decisions 5.4).
 */
export async function checkOwnership(
  objects: readonly Pick<PreparedObject, "key" | "ref">[],
  live: LiveIndex,
  scope: Pick<ApplyScope, "environmentId" | "serviceName">,
  resolveOwner: ResolveOwner,
): Promise<OwnershipConflict[]> {
  const owners = new Map<string, ReturnType<ResolveOwner>>();
  const conflicts: OwnershipConflict[] = [];
  for (const { key, ref } of objects) {
    const labels = live.get(key)?.metadata.labels;
    const environmentId = labels?.[environmentLabel];
    if (environmentId === undefined) continue;
    const service = labels?.[serviceLabel];
    const of = service === undefined ? "the configuration" : `service "${service}"`;
    if (environmentId === scope.environmentId) {
      if (service !== scope.serviceName)
        conflicts.push({
          ref,
          message: `resource ownership conflict: ${describe(ref)} belongs to ${of} of this environment`,
        });
      continue;
    }
    const asked = owners.get(environmentId) ?? resolveOwner(environmentId);
    owners.set(environmentId, asked);
    const owner = await asked;
    if (owner === undefined) continue;
    conflicts.push({
      ref,
      message: `resource ownership conflict: ${describe(ref)} belongs to ${of} of environment "${owner.environmentKey}" of project "${owner.projectKey}"`,
    });
  }
  return conflicts;
}
