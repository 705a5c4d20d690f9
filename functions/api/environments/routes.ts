import * as z from "zod";
import { previewable } from "../../../shared/http/preview.ts";
import { defineRoute, fromBody, fromPath, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { filled, successWithWarnings } from "../../../shared/http/schemas.ts";
import { freezeAt } from "../../../shared/projects/freezes/rules/windows.ts";
import { configForms } from "./configs/configRoutes.ts";
import { driftRoutes } from "./driftRoutes.ts";
import { eventRoutes } from "./eventRoutes.ts";
import { helmRoutes } from "./helm/helmRoutes.ts";
import { olderRoutes } from "./olderRoutes.ts";
import {
  audit,
  basePath,
  configures,
  deletes,
  envOfBody,
  envOfPath,
  freezes,
  type Kind,
  project,
  reads,
  tag,
  verb,
  words,
} from "./routeParts.ts";
import {
  addedServices,
  deleteQuery,
  environmentDetail,
  environmentItem,
  envParams,
  instanceDetail,
  newProductionEnvironment,
  newTestEnvironment,
  projectQuery,
  removedServices,
  removedServicesQuery,
  serviceList,
  serviceListOnly,
} from "./schemas.ts";
import { shareForms } from "./share/shareRoutes.ts";
import { sleepForms } from "./sleep/sleepRoutes.ts";
import { updateRoutes } from "./updateRoutes.ts";
import { variableForms } from "./variableRoutes.ts";
import { versionForms } from "./versionRoutes.ts";
import { workloadForms, workloadRoutes } from "./workloads/workloadRoutes.ts";

/** `env:[service,…]` (contract I 14). */
function removalDetail(request: RawRequest): string {
  const names = request.body.service_names ?? [request.query.service_name ?? ""];
  return `${envOfBody(request)}:[${Array.isArray(names) ? names.join(",") : ""}]`;
}

/** The forms of one kind; the production paths insert `production` after the prefix (contract P 0.13). */
function environmentForms<K extends Kind>(kind: K) {
  const base = basePath(kind);
  const path = (rest: string) => `${base}${rest}` as `/${string}`;
  const environment = fromPath("envName");
  const bodyEnvironment = fromBody("env_key");
  const yamlDeclaration = {
    method: "GET" as const,
    summary: `Read the manifest of a service in a ${kind} environment as text`,
    tag,
    permission: verb(reads[kind]),
    scope: { project, environment: fromQuery("envName") },
    query: z.object({ ...projectQuery, envName: filled("envName"), serviceName: filled("serviceName") }),
    response: z.string(),
    responseType: "text" as const,
  };
  return {
    list: defineRoute({
      method: "GET",
      path: path(""),
      summary: `List the ${kind} environments of a project`,
      tag,
      permission: { kind: "filtered" },
      scope: { project },
      query: z.object(projectQuery),
      response: z.array(environmentItem),
    }),
    detail: defineRoute({
      method: "GET",
      path: path("/:envName"),
      summary: `Read a ${kind} environment with the live status of its services`,
      tag,
      permission: verb(reads[kind]),
      scope: { project, environment },
      params: envParams,
      query: z.object(projectQuery),
      response: environmentDetail,
      cutAt: "services",
    }),
    instance: defineRoute({
      method: "GET",
      path: path("/:envName/services/:serviceName"),
      summary: `Read the live workloads of a service in a ${kind} environment`,
      tag,
      permission: kind === "test" ? verb(reads.test) : verb(reads.production, "edit_production_environment"),
      scope: { project, environment },
      params: z.object({ envName: z.string(), serviceName: z.string() }),
      query: z.object({ ...projectQuery, workLoadtype: z.string().optional() }),
      queryAliases: { workLoadtype: ["workLoadType", "workloadType", "workloadtype"] },
      response: instanceDetail,
    }),
    yaml: defineRoute({ ...yamlDeclaration, path: path("/services/yaml") }),
    yamlBySingular: defineRoute({ ...yamlDeclaration, path: path("/service/yaml") }),
    remove: previewable(
      defineRoute({
        method: "DELETE",
        path: path("/:envName"),
        summary:
          kind === "test"
            ? "Delete a test environment; isDelete=true takes its objects and its namespace away too"
            : "Delete a production environment; its objects stay",
        tag,
        freeze: freezes[kind],
        permission: {
          kind: "verb",
          verbs: [deletes[kind]],
        },
        scope: { project, environment },
        params: envParams,
        query: deleteQuery,
        queryAliases: { delete_crds: ["deleteCrds"] },
        response: successWithWarnings,
        audit: audit("Delete", kind, envOfPath, { body: "none" }),
      }),
    ),
    addServices: previewable(
      defineRoute({
        method: "POST",
        path: path("/service/yaml"),
        summary: `Add services to a ${kind} environment`,
        tag,
        freeze: freezes[kind],
        permission: verb(configures[kind]),
        scope: { project, environment: bodyEnvironment },
        query: z.object(projectQuery),
        body: addedServices,
        response: successWithWarnings,
        audit: audit("Update", kind, envOfBody),
      }),
    ),
    updateServices: previewable(
      defineRoute({
        method: "PUT",
        path: path("/service/yaml"),
        summary: `Move services of a ${kind} environment to their newest revision`,
        tag,
        freeze: freezes[kind],
        permission: verb(configures[kind]),
        scope: { project, environment: bodyEnvironment },
        query: z.object(projectQuery),
        body: serviceList,
        response: successWithWarnings,
        audit: audit("Environment Management - Update Service", kind, envOfBody),
      }),
    ),
    updateServicesByPath: previewable(
      defineRoute({
        method: "PUT",
        path: path("/:envName/services"),
        summary: `Move services of a ${kind} environment to their newest revision`,
        tag,
        freeze: freezes[kind],
        permission: verb(configures[kind]),
        scope: { project, environment },
        params: envParams,
        query: z.object(projectQuery),
        body: serviceListOnly,
        response: successWithWarnings,
        audit: audit("Environment Management - Update Service", kind, envOfPath),
      }),
    ),
    removeServices: previewable(
      defineRoute({
        method: "DELETE",
        path: path("/service/yaml"),
        summary: `Remove services from a ${kind} environment`,
        tag,
        freeze: freezes[kind],
        permission: verb(configures[kind]),
        scope: { project, environment: [bodyEnvironment, fromQuery("env_name")] },
        query: z.object({ ...projectQuery, ...removedServicesQuery }),
        queryAliases: { env_name: ["envName"], service_name: ["serviceName"], delete_crds: ["deleteCrds"] },
        body: removedServices,
        response: successWithWarnings,
        audit: audit("Delete", kind, envOfBody, {
          function: `${words[kind]} Service`,
          detail: removalDetail,
          body: "none",
        }),
      }),
    ),
  };
}

const creation = {
  method: "POST" as const,
  tag,
  scope: { project },
  query: z.object(projectQuery),
  response: successWithWarnings,
};

export const testRoutes = {
  ...environmentForms("test"),
  ...driftRoutes("test"),
  ...configForms("test"),
  ...variableForms("test"),
  ...workloadForms("test"),
  ...sleepForms("test"),
  ...versionForms("test"),
  create: previewable(
    defineRoute({
      ...creation,
      path: "/openapi/environments",
      summary: "Create a test environment with services",
      permission: { kind: "verb", verbs: ["create_environment"] },
      body: newTestEnvironment,
      audit: audit("Create", "test", envOfBody),
    }),
  ),
};

export const productionRoutes = {
  ...environmentForms("production"),
  ...driftRoutes("production"),
  ...configForms("production"),
  ...variableForms("production"),
  ...workloadForms("production"),
  ...sleepForms("production"),
  ...versionForms("production"),
  create: previewable(
    defineRoute({
      ...creation,
      path: "/openapi/environments/production",
      summary: "Create an empty production environment",
      freeze: freezeAt,
      permission: { kind: "verb", verbs: ["create_production_environment"] },
      body: newProductionEnvironment,
      audit: audit("Create", "production", envOfBody),
    }),
  ),
};

export type Named<R, Suffix extends string> = { [K in keyof R & string as `${K}${Suffix}`]: R[K] };

export function named<R extends object, S extends string>(routes: R, suffix: S): Named<R, S> {
  return Object.fromEntries(Object.entries(routes).map(([id, route]) => [`${id}${suffix}`, route])) as Named<R, S>;
}

/** Both kinds: `createTestEnvironment`, `createProductionEnvironment`, … */
export const environmentRoutes = {
  ...named(testRoutes, "TestEnvironment"),
  ...named(productionRoutes, "ProductionEnvironment"),
  ...eventRoutes,
  ...shareForms("test"),
  ...named(shareForms("production"), "InProduction"),
  ...updateRoutes,
  ...workloadRoutes,
  ...helmRoutes,
  ...olderRoutes,
};
