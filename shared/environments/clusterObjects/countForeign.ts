import { environmentLabel } from "../../kube/apply/marks.ts";
import type { CallOptions, ClusterClient, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { ClusterKindUnknown } from "../../kube/client/errors.ts";
import { findObject } from "../../kube/client/findObject.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { at } from "../../manifest/workloads.ts";

const maxCounted = 500;

/**
 * How many objects that are not an environment's own would go with a definition; one more than 500 means any number
 * above. What controllers made of its own objects counts as its own. One page of a list.
 * @throws ClusterError
 */
export async function countForeign(
  client: ClusterClient,
  definition: ObjectRef,
  { environmentId, namespace }: { environmentId: string; namespace: string },
  call: CallOptions,
): Promise<number> {
  const live = await findObject(client, definition, call);
  const kind = live && servedKind(live);
  if (kind === undefined) return 0;
  try {
    const labelSelector = `${environmentLabel}!=${environmentId}`;
    const page = await client.list(kind, { labelSelector, metadataOnly: true, most: maxCounted, ...call });
    if (page.cut === true) return maxCounted + 1;
    return page.items.filter(({ metadata }) => {
      const made = metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
      return metadata.namespace !== namespace || !made;
    }).length;
  } catch (error) {
    // It was never served, so it has no objects.
    if (error instanceof ClusterKindUnknown) return 0;
    throw error;
  }
}

/** `12 objects that are not of this environment`. */
export function foreignSentence(count: number): string {
  const objects =
    count > maxCounted ? `more than ${maxCounted} objects` : count === 1 ? "1 object" : `${count} objects`;
  return `${objects} that ${count === 1 ? "is" : "are"} not of this environment`;
}

/** The kind that a definition brings, in a version that is served; undefined when there is none. */
function servedKind(definition: KubeObject): { apiVersion: string; kind: string } | undefined {
  const [group, kind] = [at(definition, ["spec", "group"]), at(definition, ["spec", "names", "kind"])];
  const versions = at(definition, ["spec", "versions"]);
  const served = Array.isArray(versions) ? versions.find((version) => at(version, ["served"]) === true) : undefined;
  const name = at(served, ["name"]);
  if (typeof group !== "string" || typeof kind !== "string" || typeof name !== "string") return undefined;
  return { apiVersion: `${group}/${name}`, kind };
}
