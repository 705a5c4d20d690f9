import * as z from "zod";
import { previewable } from "../../../../shared/http/preview.ts";
import { defineRoute, fromBody, fromPath, type RawRequest } from "../../../../shared/http/route.ts";
import { message } from "../../../../shared/http/schemas.ts";
import {
  audit,
  basePath,
  configures,
  envOfBody,
  envOfPath,
  freezes,
  type Kind,
  project,
  reads,
  tag,
  verb,
  words,
} from "../routeParts.ts";
import { envParams, projectQuery } from "../schemas.ts";
import {
  changedConfig,
  configDetail,
  configHistory,
  configItem,
  configParams,
  deletionQuery,
  historyQuery,
  listQuery,
  newConfig,
  oneQuery,
} from "./configSchemas.ts";

function joined(...parts: unknown[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(":");
}

/** `env:type:name` (contract I 14). */
function detailOfBody(env: (request: RawRequest) => string) {
  return (request: RawRequest): string => joined(env(request), request.body.common_env_cfg_type, request.body.name);
}

function detailOfPath({ params, query }: RawRequest): string {
  return joined(params.envName, query.type, params.envCfgName);
}

/** Configuration objects of one kind of environment (contract P 7). */
export function configForms<K extends Kind>(kind: K) {
  const base = basePath(kind);
  const path = (rest: string) => `${base}${rest}` as `/${string}`;
  const inPath = { project, environment: fromPath("envName") };
  return {
    createConfig: previewable(
      defineRoute({
        method: "POST",
        path: path("/:envName/envcfgs"),
        summary: `Create a ConfigMap, Secret, Ingress or PVC in a ${kind} environment`,
        tag,
        freeze: freezes[kind],
        permission: verb(configures[kind]),
        scope: inPath,
        params: envParams,
        query: z.object(projectQuery),
        body: newConfig,
        response: message,
        audit: audit("Create", kind, envOfPath, {
          function: "Environment Configuration",
          detail: detailOfBody(envOfPath),
        }),
      }),
    ),
    listConfigs: defineRoute({
      method: "GET",
      path: path("/:envName/envcfgs"),
      summary: `List the configuration objects in the namespace of a ${kind} environment`,
      tag,
      permission: verb(reads[kind]),
      scope: inPath,
      params: envParams,
      query: listQuery,
      response: z.array(configItem),
    }),
    config: defineRoute({
      method: "GET",
      path: path("/:envName/envcfg/:envCfgName"),
      summary: `Read a configuration object of a ${kind} environment as it is in the cluster`,
      tag,
      permission: verb(reads[kind]),
      scope: inPath,
      params: configParams,
      query: oneQuery,
      response: configDetail,
    }),
    configHistory: defineRoute({
      method: "GET",
      path: path("/:envName/envcfg/:envCfgName/history"),
      summary: `List the changes of a configuration object of a ${kind} environment, newest first`,
      tag,
      permission: verb(reads[kind]),
      scope: inPath,
      params: configParams,
      query: historyQuery,
      response: configHistory,
    }),
    updateConfig: previewable(
      defineRoute({
        method: "PUT",
        path: path("/envcfgs"),
        summary: `Change a configuration object of a ${kind} environment and restart what refers to it`,
        tag,
        freeze: freezes[kind],
        permission: verb(configures[kind]),
        scope: { project, environment: fromBody("env_key") },
        query: z.object(projectQuery),
        body: changedConfig,
        response: message,
        audit: audit("Update", kind, envOfBody, {
          function: kind === "test" ? "Environment Configuration" : "Production Environment Configuration",
          detail: detailOfBody(envOfBody),
        }),
      }),
    ),
    deleteConfig: previewable(
      defineRoute({
        method: "DELETE",
        path: path("/:envName/envcfg/:envCfgName"),
        summary: `Delete a configuration object of a ${kind} environment; its history stays`,
        tag,
        freeze: freezes[kind],
        permission: verb(configures[kind]),
        scope: inPath,
        params: configParams,
        query: deletionQuery,
        response: message,
        audit: audit("Delete", kind, envOfPath, {
          function: `${words[kind]} Configuration`,
          detail: detailOfPath,
          body: "none",
        }),
      }),
    ),
  };
}
