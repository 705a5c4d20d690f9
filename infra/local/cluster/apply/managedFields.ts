import { equal, type FieldSet, type ManagedFieldsEntry } from "../model/object.ts";
import type { Type } from "../schema/types.ts";
import { difference, intersection, isEmptySet, union, withoutBelow } from "./fieldSet.ts";
import { type Comparison, compare } from "./typed.ts";

/** Who writes, with which verb, in which version, through which subresource. */
export interface Writer {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  subresource?: string;
}

/** Fields that belong to the server and have no manager. */
const serverFields: FieldSet = {
  "f:apiVersion": {},
  "f:kind": {},
  "f:metadata": {
    "f:name": {},
    "f:namespace": {},
    "f:creationTimestamp": {},
    "f:selfLink": {},
    "f:uid": {},
    "f:clusterName": {},
    "f:generation": {},
    "f:managedFields": {},
    "f:resourceVersion": {},
  },
};

const statusFields: FieldSet = { "f:status": {} };
const notStatusFields: FieldSet = { "f:spec": {}, "f:data": {}, "f:metadata": {} };

/** Without the fields that have no manager: those of the server, and those that this endpoint cannot write. */
export function manageable(set: FieldSet, subresource: string | undefined, hasStatus: boolean): FieldSet {
  let result = withoutBelow(set, serverFields);
  if (result["f:metadata"]?.["."]) result = { ...result, "f:metadata": withoutSelf(result["f:metadata"]) };
  if (!hasStatus) return result;
  return subresource === "status" ? withoutBelow(result, notStatusFields) : withoutBelow(result, statusFields);
}

function withoutSelf(node: FieldSet): FieldSet {
  const { ".": _, ...rest } = node;
  return rest;
}

/** Whether two writers are one entry: appliers whatever their version, others by version too. */
export function sameWriter(entry: Writer, writer: Writer): boolean {
  return (
    entry.manager === writer.manager &&
    entry.operation === writer.operation &&
    (entry.subresource ?? "") === (writer.subresource ?? "") &&
    (writer.operation === "Apply" || entry.apiVersion === writer.apiVersion)
  );
}

/** The fields of other managers that a change takes from them. */
export function conflictsOf(
  entries: ManagedFieldsEntry[],
  writer: Writer,
  change: Comparison,
): { entry: ManagedFieldsEntry; fields: FieldSet }[] {
  const changed = union(change.modified, change.added);
  return entries
    .filter((entry) => !sameWriter(entry, writer))
    .map((entry) => ({ entry, fields: intersection(entry.fieldsV1, changed) }))
    .filter(({ fields }) => !isEmptySet(fields));
}

/** Takes changed and removed fields from all managers but the writer. */
export function yieldFields(entries: ManagedFieldsEntry[], writer: Writer, change: Comparison): ManagedFieldsEntry[] {
  const lost = union(union(change.modified, change.added), change.removed);
  if (isEmptySet(lost)) return entries;
  return entries
    .map((entry) => (sameWriter(entry, writer) ? entry : { ...entry, fieldsV1: difference(entry.fieldsV1, lost) }))
    .filter((entry) => !isEmptySet(entry.fieldsV1));
}

/**
 * The entries after an update (create, replace, patch, status) by a writer: it owns what it changed and added.
 * `now` is the time in the API's form; an entry that only lost fields keeps its time.
 */
export function trackUpdate(
  before: unknown,
  after: unknown,
  type: Type,
  entries: ManagedFieldsEntry[],
  writer: Writer,
  hasStatus: boolean,
  now: string,
): ManagedFieldsEntry[] {
  const found = compare(before, after, type);
  const change: Comparison = {
    added: manageable(found.added, writer.subresource, hasStatus),
    removed: manageable(found.removed, writer.subresource, hasStatus),
    modified: manageable(found.modified, writer.subresource, hasStatus),
  };
  if (isEmptySet(change.added) && isEmptySet(change.removed) && isEmptySet(change.modified)) return entries;
  const rest = yieldFields(entries, writer, change);
  const own = rest.find((entry) => sameWriter(entry, writer))?.fieldsV1 ?? {};
  const fields = union(union(difference(own, change.removed), change.modified), change.added);
  const took = !isEmptySet(change.added) || !isEmptySet(change.modified);
  const lastTime = entries.find((entry) => sameWriter(entry, writer))?.time;
  return putEntry(rest, writer, fields, took ? now : (lastTime ?? now));
}

/** Replaces the writer's entry and puts all in the server's order. */
export function putEntry(
  entries: ManagedFieldsEntry[],
  writer: Writer,
  fields: FieldSet,
  time: string,
): ManagedFieldsEntry[] {
  const result = entries.filter((entry) => !sameWriter(entry, writer));
  if (!isEmptySet(fields) || writer.operation === "Apply") {
    result.push({
      manager: writer.manager,
      operation: writer.operation,
      apiVersion: writer.apiVersion,
      time,
      fieldsType: "FieldsV1",
      fieldsV1: fields,
      ...(writer.subresource ? { subresource: writer.subresource } : {}),
    });
  }
  return result.sort(byServerOrder);
}

function byServerOrder(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? "", b.subresource ?? "")
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether two lists of entries say the same in the same order, times aside. */
export function sameEntries(left: ManagedFieldsEntry[], right: ManagedFieldsEntry[]): boolean {
  const timeless = (entries: ManagedFieldsEntry[]) => entries.map(({ time: _, ...entry }) => entry);
  return equal(timeless(left), timeless(right));
}
