import { badRequest, gone } from "../api/errors.ts";
import { groupVersion } from "../api/resource.ts";
import type { KubeObject } from "../model/object.ts";
import { parseFieldSelector } from "../select/fieldSelector.ts";
import { parseLabelSelector } from "../select/labelSelector.ts";
import { type Store, serialize } from "../store/store.ts";
import type { Target } from "./route.ts";
import { tableOf } from "./table.ts";

/** Whether an object is in the part of the resource that a query asks for. */
export function selection(target: Target, query: URLSearchParams): (object: KubeObject) => boolean {
  const labels = query.get("labelSelector");
  const fields = query.get("fieldSelector");
  const byLabel = labels ? parseLabelSelector(labels) : undefined;
  const byField = fields ? parseFieldSelector(fields, target.resource.key) : undefined;
  return (object) =>
    (target.everywhere || (object.metadata.namespace ?? "") === target.namespace) &&
    (!target.name || object.metadata.name === target.name) &&
    (!byLabel || byLabel(object.metadata.labels)) &&
    (!byField || byField(object));
}

/** The objects a query selects, all of them. */
export function selectObjects(store: Store, target: Target, query: URLSearchParams): KubeObject[] {
  return store
    .list(target.resource.key, target.everywhere ? undefined : target.namespace)
    .filter(selection(target, query));
}

/** The body of a list: `limit` cuts it and `continue` goes on, under the revision of the first page. */
export function listBody(store: Store, target: Target, query: URLSearchParams, asTable: boolean): string {
  const { resource } = target;
  const all = selectObjects(store, target, query);
  const start = readContinue(query.get("continue"), store);
  const limit = Number(query.get("limit") ?? 0);
  if (Number.isNaN(limit) || limit < 0) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(query.get("limit"))}: invalid syntax`);
  }
  const first = start ? all.findIndex((object) => positionOf(object) > start.after) : 0;
  const rest = first < 0 ? [] : all.slice(first);
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const last = page.at(-1);
  const revision = start?.revision ?? store.revision;
  const metadata: Record<string, unknown> = {
    resourceVersion: String(revision),
    ...(resource.custom ? { continue: "" } : {}),
  };
  if (last && page.length < rest.length) {
    metadata.continue = Buffer.from(JSON.stringify({ revision, after: positionOf(last) })).toString("base64url");
    if (!query.get("labelSelector") && !query.get("fieldSelector"))
      metadata.remainingItemCount = rest.length - page.length;
  }
  if (asTable) return JSON.stringify({ ...tableOf(resource, page), metadata });
  const items = page.map((object) => listItem(object, resource.custom !== undefined, groupVersion(resource)));
  return `{"kind":"${resource.kind}List","apiVersion":"${groupVersion(resource)}","metadata":${JSON.stringify(metadata)},"items":[${items.join(",")}]}`;
}

function positionOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

function readContinue(token: string | null, store: Store): { revision: number; after: string } | undefined {
  if (!token) return undefined;
  try {
    const { revision, after } = JSON.parse(Buffer.from(token, "base64url").toString());
    if (typeof revision !== "number" || typeof after !== "string") throw new Error("incomplete");
    if (revision < store.startRevision) {
      throw gone("The provided continue parameter is too old to display a consistent list result.");
    }
    return { revision, after };
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("The provided")) throw error;
    throw badRequest("continue key is not valid");
  }
}

/** Items of built-in kinds carry neither kind nor apiVersion, as from the typed server; custom ones do. */
export function listItem(object: KubeObject, custom: boolean, version: string): string {
  if (custom) return inVersion(object, version);
  const text = serialize(object);
  const head = `{"apiVersion":${JSON.stringify(object.apiVersion)},"kind":${JSON.stringify(object.kind)},`;
  if (text.startsWith(head)) return `{${text.slice(head.length)}`;
  const { apiVersion: _, kind: __, ...rest } = object;
  return JSON.stringify(rest);
}

/** The object as JSON in the version it was asked for; custom resources may be served in several. */
export function inVersion(object: KubeObject, version: string): string {
  return object.apiVersion === version ? serialize(object) : JSON.stringify({ ...object, apiVersion: version });
}
