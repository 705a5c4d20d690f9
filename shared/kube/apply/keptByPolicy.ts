import { isDefinition } from "../../manifest/schema/isDefinition.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import type { ObjectRef } from "../client/ClusterClient.ts";
import { describe } from "../client/objectRef.ts";
import { policyAnnotation } from "./marks.ts";

/**
 * Whether an object says that removing or replacing its service leaves it (decisions 20.3). The value is read as Helm
 * reads it: case and blanks around it do not count.
 */
export function isKeptByPolicy({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.annotations?.[policyAnnotation]?.trim().toLowerCase() === "keep";
}

/** Why such an object stays, and how it can be deleted all the same. */
export function policySentence(ref: ObjectRef): string {
  return `${describe(ref)} stays: its annotation ${policyAnnotation} says keep; to delete it all the same use ${deletionOf(ref)}`;
}

/** How a caller deletes an object that Slipway leaves. */
export function deletionOf(ref: ObjectRef): string {
  if (isDefinition(ref)) return `delete_crds: true, or kubectl delete crd ${ref.name}`;
  const where = ref.namespace === undefined ? "" : ` -n ${ref.namespace}`;
  return `kubectl delete ${ref.kind.toLowerCase()} ${ref.name}${where}`;
}
