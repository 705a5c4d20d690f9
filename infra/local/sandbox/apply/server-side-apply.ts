import { ApiError } from "../api/errors.ts";
import { type FieldSet, isDict, type KubeObject, type ManagedFieldsEntry } from "../model/object.ts";
import type { Type } from "../schema/types.ts";
import { difference, intersection, isEmptySet, paths, union, withNamedParents } from "./field-set.ts";
import { conflictsOf, manageable, putEntry, sameWriter, type Writer, yieldFields } from "./managed-fields.ts";
import { type Comparison, compare, fieldsOf, mergeValues, removeFields } from "./typed.ts";

export interface Applied {
  /** The merged object, not yet decoded or defaulted. */
  object: unknown;
  entries: ManagedFieldsEntry[];
}

/**
 * Server-side apply: lays a configuration over the live object, takes away what this manager applied before and no
 * longer sends (unless somebody else owns it), and settles who owns what.
 * Throws 409 with a cause for each field that another manager owns with another value, unless `force`.
 */
export function serverSideApply(
  live: unknown,
  configuration: KubeObject,
  type: Type,
  entries: ManagedFieldsEntry[],
  writer: Writer,
  options: { force: boolean; hasStatus: boolean; now: string },
): Applied {
  const { force, hasStatus, now } = options;
  const cut = (set: FieldSet) => manageable(set, writer.subresource, hasStatus);
  const last = entries.find((entry) => sameWriter(entry, writer));
  const fields = cut(fieldsOf(configuration, type));
  const owned = putEntry(entries, writer, fields, now);
  const merged = mergeValues(live, configuration, type);
  const object = last ? prune(merged, last.fieldsV1, owned, type) : merged;
  const found = compare(live, object, type);
  const change: Comparison = { added: cut(found.added), removed: cut(found.removed), modified: cut(found.modified) };
  const conflicts = force ? [] : conflictsOf(owned, writer, change);
  if (conflicts.length > 0) throw conflictError(conflicts);
  return { object, entries: yieldFields(owned, writer, change) };
}

/** Removes what the manager's last configuration had and nobody owns any more. */
function prune(merged: unknown, last: FieldSet, owned: ManagedFieldsEntry[], type: Type): unknown {
  if (isEmptySet(last)) return merged;
  const managed = withNamedParents(owned.reduce<FieldSet>((all, entry) => union(all, entry.fieldsV1), {}));
  const mergedSet = withNamedParents(fieldsOf(merged, type));
  let pruned = removeFields(merged, last, type);
  const kept = () => withNamedParents(fieldsOf(pruned, type));
  pruned = removeFields(merged, difference(mergedSet, union(kept(), managed)), type);
  return removeFields(merged, intersection(difference(mergedSet, kept()), withNamedParents(last)), type);
}

function conflictError(conflicts: { entry: ManagedFieldsEntry; fields: FieldSet }[]): ApiError {
  const found = conflicts.map(({ entry, fields }) => ({ who: describe(entry), paths: paths(fields) }));
  const causes = found.flatMap(({ who, paths: fields }) =>
    fields.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field })),
  );
  const only = causes.length === 1 ? causes[0] : undefined;
  const text = only
    ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
    : `Apply failed with ${causes.length} conflicts: ${found
        .map(({ who, paths: fields }) => `conflicts with ${who}:\n${fields.map((field) => `- ${field}`).join("\n")}`)
        .join("\n")}`;
  return new ApiError(409, "Conflict", text, { causes });
}

function describe(entry: ManagedFieldsEntry): string {
  const who = JSON.stringify(entry.manager);
  const through = entry.subresource ? ` with subresource ${JSON.stringify(entry.subresource)}` : "";
  if (entry.operation === "Apply") return who + through;
  return `${who}${through} using ${entry.apiVersion}${entry.time ? ` at ${entry.time}` : ""}`;
}

/** Fields of a configuration that the type does not have, as server-side apply words them. */
export function undeclaredFields(value: unknown, type: Type, path = ""): string[] {
  if (type.kind === "struct" && isDict(value) && !type.open) {
    return Object.keys(value).flatMap((key) => {
      const field = type.fields.get(key);
      return field ? undeclaredFields(value[key], field.type, `${path}.${key}`) : [`${path}.${key}`];
    });
  }
  if (type.kind === "map" && isDict(value)) {
    return Object.keys(value).flatMap((key) => undeclaredFields(value[key], type.element, `${path}.${key}`));
  }
  if (type.kind === "list" && Array.isArray(value)) {
    return value.flatMap((item, i) => undeclaredFields(item, type.element, `${path}[${i}]`));
  }
  return [];
}
