import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { fieldManager, helmFieldManager } from "../apply/marks.ts";
import type { LiveObject } from "../client/ClusterClient.ts";

/** Of what applies the object: Slipway alone, or Helm on its behalf (decisions 20.1). */
export type AppliedBy = "slipway" | "helm";

/** Fields that one manager holds below one point of an object: the form of `fieldsV1`. */
export interface OwnedFields {
  manager: string;
  /** Whether it is what we applied. */
  ours: boolean;
  /** RFC 3339, as the cluster says it. */
  time: string | undefined;
  fields: Readonly<Record<string, unknown>>;
}

/** Who holds fields of a live object. What Helm holds of an object of a release is ours, however it was written. */
export function ownersOf({ metadata }: LiveObject, by: AppliedBy = "slipway"): OwnedFields[] {
  return (metadata.managedFields ?? []).map(({ manager = "", operation, subresource = "", time, fieldsV1 = {} }) => ({
    manager,
    ours: subresource === "" && isOurs(manager, operation, by),
    time,
    fields: fieldsV1,
  }));
}

function isOurs(manager: string, operation: string | undefined, by: AppliedBy): boolean {
  return (manager === fieldManager && operation === "Apply") || (by === "helm" && manager === helmFieldManager);
}

/** Who holds something at or below a field of the object that `owners` describe. */
export function ownersBelow(owners: readonly OwnedFields[], step: string): OwnedFields[] {
  return owners.flatMap((owner) => {
    const fields = owner.fields[step];
    return isRecord(fields) ? [{ ...owner, fields }] : [];
  });
}

/** How the cluster tells the items of a list or the keys of a map apart, by what managers hold of it. */
export function structureOf(owners: readonly OwnedFields[]): "fields" | "keyed" | "set" | "atomic" | "unknown" {
  if (owners.length === 0) return "unknown";
  const steps = owners.flatMap(({ fields }) => Object.keys(fields)).filter((step) => step !== ".");
  if (steps.some((step) => step.startsWith("f:"))) return "fields";
  if (steps.some((step) => step.startsWith("k:"))) return "keyed";
  return steps.some((step) => step.startsWith("v:")) ? "set" : "atomic";
}

/** The keys by which managers hold items of a list, each with what they hold below it. */
export function keysOf(owners: readonly OwnedFields[]): { key: Record<string, unknown>; step: string }[] {
  const steps = new Set(owners.flatMap(({ fields }) => Object.keys(fields)).filter((step) => step.startsWith("k:")));
  return [...steps].map((step) => ({ step, key: JSON.parse(step.slice(2)) as Record<string, unknown> }));
}
