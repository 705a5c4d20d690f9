/** What every Kubernetes object has; kinds add their own fields. Objects in the store are never changed in place. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  [field: string]: unknown;
}

export interface Metadata {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
  [field: string]: unknown;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  time?: string;
  fieldsType: "FieldsV1";
  fieldsV1: FieldSet;
  subresource?: string;
}

/** A set of field paths in the wire form of `fieldsV1`; see apply/fieldSet.ts. */
export interface FieldSet {
  [element: string]: FieldSet;
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export type Dict = Record<string, unknown>;

/** Whether a value is a JSON object (and not null or a list). */
export function isDict(value: unknown): value is Dict {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of keys, undefined as soon as one is missing. */
export function at(value: unknown, ...path: string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isDict(current)) return undefined;
    current = current[key];
  }
  return current;
}

/** The object at a path, or an empty one. */
export function dictAt(value: unknown, ...path: string[]): Dict {
  const found = at(value, ...path);
  return isDict(found) ? found : {};
}

/** The list at a path, or an empty one; items that are no objects are left out. */
export function dictsAt(value: unknown, ...path: string[]): Dict[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isDict) : [];
}

/** The text at a path, or an empty one. */
export function textAt(value: unknown, ...path: string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

/** Seconds-precise UTC time as the API writes it. */
export function timestamp(date: Date = new Date()): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Whether two JSON values are equal, whatever the order of keys; undefined members count as absent. */
export function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, i) => equal(item, right[i]));
  }
  if (!isDict(left) || !isDict(right)) return false;
  for (const key of Object.keys(left)) if (!equal(left[key], right[key])) return false;
  for (const key of Object.keys(right)) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}
