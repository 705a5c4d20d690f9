import { ApiError } from "../api/errors.ts";
import { type FieldSet, isDict, type KubeObject, type ManagedFieldsEntry } from "../model/object.ts";
import type { ListType, Scalar, Type } from "../schema/types.ts";
import { difference, intersection, isEmptySet, paths, printElement, union, withNamedParents } from "./fieldSet.ts";
import { goSyntax, goType, goValue } from "./goValue.ts";
import {
  conflictsOf,
  manageable,
  putEntry,
  sameEntries,
  sameWriter,
  type Writer,
  yieldFields,
} from "./managedFields.ts";
import { type Comparison, compare, fieldsOf, itemElement, mergeValues, removeFields } from "./typed.ts";

export interface Applied {
  /** The merged object, not yet decoded or defaulted. */
  object: unknown;
  entries: ManagedFieldsEntry[];
}

/**
 * Server-side apply: lays a configuration over the live object, takes away what this manager applied before and no
 * longer sends (unless another manager owns it), and settles which manager owns what.
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
  const settled = (time: string) => yieldFields(putEntry(entries, writer, fields, time), writer, change);
  const nothing = [found.added, found.removed, found.modified].every(isEmptySet);
  // With its old time the entry keeps its place.
  if (nothing && last?.time && sameEntries(settled(last.time), entries)) return { object, entries };
  return { object, entries: settled(now) };
}

/** Removes what the manager's last configuration had and no manager owns now. */
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
  return `${who}${through} using ${entry.apiVersion}`;
}

/** What a configuration says that its type does not have or has otherwise, as server-side apply words it. */
export function typeProblems(value: unknown, type: Type, path = ""): string[] {
  if (value === null || value === undefined || type.kind === "any") return [];
  if (type.kind === "scalar") return scalarProblems(value, type, path);
  if (type.kind === "list") {
    if (!Array.isArray(value)) return [`${path}: expected list, got &{${goValue(value)}}`];
    return [
      ...doubles(value, type, path),
      ...value.flatMap((item, i) => typeProblems(item, type.element, `${path}[${i}]`)),
    ];
  }
  if (!isDict(value)) return [`${path}: expected map, got &{${goValue(value)}}`];
  return Object.keys(value).flatMap((key) => {
    if (type.kind === "map") return typeProblems(value[key], type.element, `${path}.${key}`);
    const field = type.fields.get(key);
    if (!field) return type.open ? [] : [`${path}.${key}: field not declared in schema`];
    return typeProblems(value[key], field.type, `${path}.${key}`);
  });
}

function scalarProblems(value: unknown, type: Scalar, path: string): string[] {
  const isText = typeof value === "string";
  const isNumber = typeof value === "number" || typeof value === "bigint";
  switch (type.format) {
    case "integer":
    case "number":
      return isNumber ? [] : [`${path}: expected numeric (int or float), got ${goType(value)}`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${path}: expected boolean, got &{${goValue(value)}}`];
    case "quantity":
    case "intOrString":
      return isText || isNumber ? [] : [`${path}: expected any scalar, got &{${goValue(value)}}`];
    default:
      return isText ? [] : [`${path}: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`];
  }
}

/** Items of an associative list that have the same keys. */
function doubles(list: unknown[], type: ListType, path: string): string[] {
  if (type.mode === "atomic") return [];
  const elements = list.map((item) => itemElement(type, item));
  const repeated = new Set(elements.filter((element, i) => elements.indexOf(element) !== i));
  return [...repeated].map((element) => `${path}: duplicate entries for key ${printElement(element)}`);
}
