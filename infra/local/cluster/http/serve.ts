import type { IncomingMessage, ServerResponse } from "node:http";
import type { Api } from "../api/api.ts";
import { ApiError, badRequest, invalid, methodNotAllowed, pathNotFound } from "../api/errors.ts";
import { groupVersion, type Resource } from "../api/resource.ts";
import { scaleOf, writeScale } from "../api/scale.ts";
import { goValue } from "../apply/goValue.ts";
import { at, type Dict, isDict, type KubeObject } from "../model/object.ts";
import { jsonPatch } from "../patch/jsonPatch.ts";
import { mergePatch } from "../patch/mergePatch.ts";
import { strategicMerge } from "../patch/strategicMerge.ts";
import { type LogOptions, readLogOptions } from "../pods/logOptions.ts";
import type { Type } from "../schema/types.ts";
import { discovery } from "./discovery.ts";
import { openApi } from "./openapi.ts";
import { deleteOptions, parseBody, writeOptions } from "./options.ts";
import { sendJson, sendText } from "./respond.ts";
import { routePath, type Target } from "./route.ts";
import { inVersion, listBody, listItem, selectObjects } from "./serveList.ts";
import { serveWatch } from "./serveWatch.ts";
import { tableOf } from "./table.ts";

/** Answers `pods/log`; given by the part that knows about containers. */
export type ServeLog = (pod: KubeObject, options: LogOptions, response: ServerResponse) => Promise<void>;

export interface Exchange {
  api: Api;
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  serveLog: ServeLog;
}

/** Answers one authenticated request; throws ApiError for everything but success. */
export async function serve(exchange: Exchange, path: string): Promise<void> {
  const { api, request, response } = exchange;
  if (/^\/(healthz|readyz|livez)(\/|$)/.test(path)) return sendText(response, 200, "ok", "text/plain; charset=utf-8");
  const target = routePath(path, api.registry);
  if (target) return serveResource(exchange, target);
  if (request.method !== "GET") throw pathNotFound();
  if (path.startsWith("/openapi/")) {
    const found = openApi(path, api.registry);
    if (!found) throw pathNotFound();
    return sendJson(response, 200, found);
  }
  const accept = request.headers.accept ?? "";
  const aggregated = accept.includes("as=APIGroupDiscoveryList") && accept.includes("v=v2;");
  const document = discovery(path.replace(/\/$/, ""), api.registry, aggregated || accept.includes("v=v2,"));
  if (!document && !/^\/apis?\//.test(path)) {
    sendText(response, 404, "404 page not found\n", "text/plain; charset=utf-8");
    return;
  }
  if (!document) throw pathNotFound();
  const isAggregate = isDict(document) && document.kind === "APIGroupDiscoveryList";
  const type = isAggregate
    ? "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    : "application/json";
  sendText(response, 200, JSON.stringify(document), type);
}

async function serveResource(exchange: Exchange, target: Target): Promise<void> {
  if (target.subresource) return serveSubresource(exchange, target);
  return target.name ? serveObject(exchange, target, target.name) : serveCollection(exchange, target);
}

function wantsTable(request: IncomingMessage): boolean {
  return (request.headers.accept ?? "").includes("as=Table");
}

function isWatch(query: URLSearchParams): boolean {
  return query.get("watch") === "true" || query.get("watch") === "1";
}

async function serveCollection(exchange: Exchange, target: Target): Promise<void> {
  const { api, request, response, query } = exchange;
  switch (request.method) {
    case "GET":
      if (isWatch(query)) return serveWatch(api.store, target, query, wantsTable(request), response);
      return sendText(response, 200, listBody(api.store, target, query, wantsTable(request)));
    case "POST": {
      if (target.everywhere) throw methodNotAllowed();
      const body = await parseBody(request, api.registry);
      const created = api.create(target.resource, target.namespace, body, writeOptions(request, query, response));
      return sendText(response, 201, inVersion(created, groupVersion(target.resource)));
    }
    case "DELETE": {
      if (target.everywhere) throw methodNotAllowed();
      const options = deleteOptions(query, await parseBody(request, api.registry));
      const objects = selectObjects(api.store, target, query);
      for (const object of objects) api.delete(target.resource, target.namespace, object.metadata.name, options);
      const version = groupVersion(target.resource);
      const isCustom = target.resource.custom !== undefined;
      const items = objects.map((object) => listItem(object, isCustom, version)).join(",");
      const metadata = `{"resourceVersion":"${api.store.revision}"}`;
      return sendText(
        response,
        200,
        `{"kind":"${target.resource.kind}List","apiVersion":"${version}","metadata":${metadata},"items":[${items}]}`,
      );
    }
    default:
      throw methodNotAllowed();
  }
}

async function serveObject(exchange: Exchange, target: Target, name: string): Promise<void> {
  const { api, request, response, query } = exchange;
  const { resource, namespace } = target;
  const version = groupVersion(resource);
  switch (request.method) {
    case "GET": {
      if (isWatch(query)) return serveWatch(api.store, target, query, wantsTable(request), response);
      const object = api.get(resource, namespace, name);
      if (wantsTable(request)) return sendJson(response, 200, tableOf(resource, [object]));
      return sendText(response, 200, inVersion(object, version));
    }
    case "PUT": {
      const body = await parseBody(request, api.registry);
      const object = api.update(resource, namespace, name, body, writeOptions(request, query, response));
      return sendText(response, 200, inVersion(object, version));
    }
    case "PATCH": {
      const { object, created } = await patchObject(exchange, target, name);
      return sendText(response, created ? 201 : 200, inVersion(object, version));
    }
    case "DELETE": {
      const options = deleteOptions(query, await parseBody(request, api.registry));
      const { object, gone } = api.delete(resource, namespace, name, options);
      if (!gone) return sendText(response, 200, inVersion(object, version));
      const details = {
        name,
        ...(resource.group ? { group: resource.group } : {}),
        kind: resource.plural,
        uid: object.metadata.uid,
      };
      if (resource.key === "pods") return sendText(response, 200, inVersion(object, version));
      return sendJson(response, 200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
    }
    default:
      throw methodNotAllowed();
  }
}

async function patchObject(
  exchange: Exchange,
  target: Target,
  name: string,
  subresource?: "status",
): Promise<{ object: KubeObject; created: boolean }> {
  const { api, request, query, response } = exchange;
  const { resource, namespace } = target;
  const options = { ...writeOptions(request, query, response), ...(subresource ? { subresource } : {}) };
  const body = await parseBody(request, api.registry);
  const kind = patchKind(request);
  const force = query.get("force") === "true" || query.get("force") === "1";
  if (kind === "apply") {
    if (!query.get("fieldManager")) {
      throw new ApiError(
        422,
        "Invalid",
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
        {
          group: "meta.k8s.io",
          kind: "PatchOptions",
          causes: [
            {
              reason: "FieldValueRequired",
              message: "Required value: is required for apply patch",
              field: "fieldManager",
            },
          ],
        },
      );
    }
    return api.apply(resource, namespace, name, body, { ...options, force });
  }
  const live = api.get(resource, namespace, name);
  const patched = applyPatch(
    kind,
    { ...live, apiVersion: groupVersion(resource) },
    body,
    resource.type,
    resource.custom !== undefined,
  );
  if (isDict(patched)) keepUid(resource, patched, live);
  try {
    return { object: api.update(resource, namespace, name, patched, options), created: false };
  } catch (error) {
    throw resource.custom === undefined ? unreadable(error, kind === "strategic" ? goValue(body) : patched) : error;
  }
}

/** Of a patch that leaves an object which cannot be read, an API server repeats the patch, or the whole object. */
function unreadable(error: unknown, repeated: unknown): unknown {
  const why = error instanceof ApiError && / cannot be handled as a \w+: (?!strict)(.+)$/s.exec(error.message)?.[1];
  if (!why) return error;
  const isPatch = typeof repeated === "string";
  const value = JSON.stringify(isPatch ? repeated : JSON.stringify(repeated));
  const message = `Invalid value: ${value}: ${isPatch ? "error decoding from json: " : ""}${why}`;
  const causes = [{ reason: "FieldValueInvalid", message, field: "patch" }];
  return new ApiError(422, "Invalid", ` "" is invalid: patch: ${message}`, { causes });
}

/** A replacement may name another object by its uid and fail as stale; a patch may not change it at all. */
function keepUid(resource: Resource, patched: Dict, live: KubeObject): void {
  const uid = at(patched, "metadata", "uid");
  if (uid === undefined || uid === live.metadata.uid) return;
  const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
  throw invalid(resource, live.metadata.name, [{ reason: "FieldValueInvalid", message, field: "metadata.uid" }]);
}

type PatchKind = "json" | "merge" | "strategic" | "apply";

function patchKind(request: IncomingMessage): PatchKind {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim();
  if (type === "application/json-patch+json") return "json";
  if (type === "application/merge-patch+json") return "merge";
  if (type === "application/strategic-merge-patch+json") return "strategic";
  if (type === "application/apply-patch+yaml") return "apply";
  throw unsupportedPatch(false);
}

function unsupportedPatch(custom: boolean): ApiError {
  const typed = custom ? "" : "application/strategic-merge-patch+json, ";
  const cbor = custom ? "" : ", application/apply-patch+cbor";
  const accepted = `application/json-patch+json, application/merge-patch+json, ${typed}application/apply-patch+yaml${cbor}`;
  const text = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return new ApiError(415, "UnsupportedMediaType", text);
}

function applyPatch(kind: PatchKind, live: unknown, body: unknown, type: Type, custom: boolean): unknown {
  if (kind === "json") return jsonPatch(live, body);
  if (kind === "strategic") {
    if (custom) throw unsupportedPatch(true);
    return strategicMerge(live, body, type);
  }
  if (!isDict(body)) throw badRequest("a merge patch must be an object");
  return mergePatch(live, body);
}

async function serveSubresource(exchange: Exchange, target: Target): Promise<void> {
  const { resource, name = "", subresource } = target;
  if (subresource === "status" && resource.status) return serveStatus(exchange, target, name);
  if (subresource === "scale" && resource.scale) return serveScale(exchange, target, name);
  if (resource.key === "pods" && subresource === "log") return serveLogs(exchange, target, name);
  if (resource.key === "pods" && subresource === "eviction") return evict(exchange, target, name);
  throw pathNotFound();
}

async function serveStatus(exchange: Exchange, target: Target, name: string): Promise<void> {
  const { api, request, response, query } = exchange;
  const { resource, namespace } = target;
  const version = groupVersion(resource);
  if (request.method === "GET") return sendText(response, 200, inVersion(api.get(resource, namespace, name), version));
  if (request.method === "PATCH") {
    const { object } = await patchObject(exchange, target, name, "status");
    return sendText(response, 200, inVersion(object, version));
  }
  if (request.method !== "PUT") throw methodNotAllowed();
  const options = { ...writeOptions(request, query, response), subresource: "status" as const };
  const object = api.update(resource, namespace, name, await parseBody(request, api.registry), options);
  sendText(response, 200, inVersion(object, version));
}

async function serveScale(exchange: Exchange, target: Target, name: string): Promise<void> {
  const { api, request, response, query } = exchange;
  if (request.method === "GET")
    return sendJson(response, 200, scaleOf(api.get(target.resource, target.namespace, name)));
  if (request.method !== "PUT" && request.method !== "PATCH") throw methodNotAllowed();
  const body = await parseBody(request, api.registry);
  const object = api.get(target.resource, target.namespace, name);
  const view = scaleOf(object);
  const kind = request.method === "PUT" ? undefined : patchKind(request);
  const scale = kind === undefined ? body : kind === "json" ? jsonPatch(view, body) : mergePatch(view, body);
  sendJson(response, 200, writeScale(api, target.resource, object, scale, writeOptions(request, query, response)));
}

function serveLogs(exchange: Exchange, target: Target, name: string): Promise<void> {
  if (exchange.request.method !== "GET") throw methodNotAllowed();
  const options = readLogOptions(exchange.query, name);
  const pod = exchange.api.get(target.resource, target.namespace, name);
  return exchange.serveLog(pod, options, exchange.response);
}

async function evict(exchange: Exchange, target: Target, name: string): Promise<void> {
  if (exchange.request.method !== "POST") throw methodNotAllowed();
  await parseBody(exchange.request, exchange.api.registry);
  exchange.api.delete(target.resource, target.namespace, name, {});
  sendJson(exchange.response, 201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}
