import type { IncomingMessage, ServerResponse } from "node:http";
import { load } from "js-yaml";
import { parseExactJson } from "../../../../shared/base/common/exactJson.ts";
import { KUBERNETES_SCHEMA } from "../../../../shared/manifest/schema/kubernetesSchema.ts";
import type { DeleteOptions, WriteOptions } from "../api/api.ts";
import { ApiError, badRequest } from "../api/errors.ts";
import type { Registry } from "../api/resource.ts";
import { dictAt, isDict, textAt } from "../model/object.ts";
import { decodeProtobuf } from "../schema/protobuf.ts";
import { namedType, type Type } from "../schema/types.ts";
import { addWarning, readBody } from "./respond.ts";

/** Options of a write from query and headers. Throws 400 for values the API does not know. */
export function writeOptions(request: IncomingMessage, query: URLSearchParams, response: ServerResponse): WriteOptions {
  const validation = query.get("fieldValidation") || "Warn";
  if (validation !== "Strict" && validation !== "Warn" && validation !== "Ignore") {
    throw badRequest(`fieldValidation: Unsupported value: ${JSON.stringify(validation)}`);
  }
  const manager = query.get("fieldManager") ?? "";
  if (manager.length > 128) throw badRequest("fieldManager: Too long: may not be more than 128 bytes");
  return {
    manager: manager || userAgent(request),
    dryRun: dryRun(query.getAll("dryRun")),
    fieldValidation: validation,
    warn: (text) => addWarning(response, text),
  };
}

function userAgent(request: IncomingMessage): string {
  const name = (request.headers["user-agent"] ?? "").split("/")[0]?.slice(0, 128) ?? "";
  return name.replace(/[^\x20-\x7e]/g, "") || "unknown";
}

function dryRun(values: string[]): boolean {
  const bad = values.find((value) => value !== "All" && value !== "");
  if (bad !== undefined) {
    throw new ApiError(400, "BadRequest", `dryRun: Unsupported value: ${JSON.stringify(bad)}: supported values: "All"`);
  }
  return values.includes("All");
}

/** Options of a deletion; the body wins over the query. */
export function deleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const options = isDict(body) && (!body.kind || body.kind === "DeleteOptions") ? body : {};
  const policy = textAt(options, "propagationPolicy") || query.get("propagationPolicy") || undefined;
  if (policy !== undefined && policy !== "Foreground" && policy !== "Background" && policy !== "Orphan") {
    throw badRequest(`propagationPolicy: Unsupported value: ${JSON.stringify(policy)}`);
  }
  const grace =
    options.gracePeriodSeconds ??
    (query.has("gracePeriodSeconds") ? Number(query.get("gracePeriodSeconds")) : undefined);
  const { uid, resourceVersion } = dictAt(options, "preconditions");
  const orphans = options.orphanDependents;
  const listed = Array.isArray(options.dryRun) ? options.dryRun.map(String) : [];
  return {
    dryRun: dryRun([...query.getAll("dryRun"), ...listed]),
    ...(policy ? { propagationPolicy: policy } : orphans === true ? { propagationPolicy: "Orphan" as const } : {}),
    ...(typeof grace === "number" ? { gracePeriodSeconds: grace } : {}),
    preconditions: {
      ...(typeof uid === "string" ? { uid } : {}),
      ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
    },
  };
}

const protobuf = "application/vnd.kubernetes.protobuf";

/** The body as a value: JSON, YAML or Kubernetes protobuf, as the content type says. Throws 400 and 415. */
export async function parseBody(request: IncomingMessage, registry: Registry): Promise<unknown> {
  const body = await readBody(request);
  if (body.length === 0) return undefined;
  const type = (request.headers["content-type"] ?? "application/json").split(";")[0]?.trim() ?? "";
  if (type.endsWith("cbor")) throw unknownFormat();
  try {
    if (type === protobuf) return decodeProtobuf(body, (apiVersion, kind) => bodyType(registry, apiVersion, kind));
    const text = body.toString("utf8");
    return type.endsWith("yaml") && !text.trimStart().startsWith("{")
      ? load(text, { schema: KUBERNETES_SCHEMA })
      : parseExactJson(text);
  } catch (error) {
    throw badRequest(`error decoding the body: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const otherBodies: Record<string, string> = {
  DeleteOptions: "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  Scale: "io.k8s.api.autoscaling.v1.Scale",
  Eviction: "io.k8s.api.policy.v1.Eviction",
};

function bodyType(registry: Registry, apiVersion: string, kind: string): Type | undefined {
  const other = otherBodies[kind];
  return other ? namedType(other) : registry.byKind(apiVersion, kind)?.type;
}

function unknownFormat(): ApiError {
  const accepted = `application/json, application/yaml, ${protobuf}`;
  const text = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return new ApiError(415, "UnsupportedMediaType", text, {});
}
