import { deletionOf } from "./apply/keptByPolicy.ts";
import { helmFieldManager, hookAnnotation } from "./apply/marks.ts";
import type { LiveObject, ObjectRef } from "./client/ClusterClient.ts";
import { describe } from "./client/objectRef.ts";

/**
 * Whether Helm created an object as a hook of a release. Helm deletes it by `helm.sh/hook-delete-policy` alone, so no upgrade,
 * drift or removal counts it among what the release has. In a manifest the annotation means nothing.
 */
export function isHook({ metadata: { annotations, managedFields = [] } }: LiveObject): boolean {
  return (
    annotations?.[hookAnnotation] !== undefined && managedFields.some(({ manager }) => manager === helmFieldManager)
  );
}

/** Why it stays when its release goes, and how it can be deleted. */
export function hookSentence(ref: ObjectRef): string {
  return `${describe(ref)} stays: it is a hook, and its ${hookAnnotation}-delete-policy does not delete it; to delete it use ${deletionOf(ref)}`;
}
