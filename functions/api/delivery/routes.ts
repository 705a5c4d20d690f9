import * as z from "zod";
import { previewable } from "../../../shared/http/preview.ts";
import { type Audit, defineRoute, fromBody, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { message, successWithWarnings } from "../../../shared/http/schemas.ts";
import { freezeAt } from "../../../shared/projects/freezes/rules/windows.ts";
import * as releases from "./releaseSchemas.ts";
import * as schemas from "./schemas.ts";
import * as uses from "./useSchemas.ts";

const tag = "Delivery versions";
const sentScope = { project: fromBody("project_key") };
const askedScope = { project: fromQuery("projectKey") };
/** The project is that of the version, which decides who may read it (contract I 13.6). */
const ofItsProject = { kind: "authenticated" } as const;
const maker = { kind: "verb", verbs: ["create_delivery"] } as const;
/** A caller who makes versions has to know which names are free. */
const looker = { kind: "verb", verbs: ["get_delivery", "create_delivery"] } as const;
/** And get_delivery, which the handler looks at. */
const deployer = {
  kind: "verb",
  verbs: ["config_environment"],
  productionVerbs: ["config_production_environment"],
  collaboration: "environment",
} as const;
const reader = { kind: "verb", verbs: ["get_delivery"] } as const;

const inPath = ({ params }: RawRequest): string => params.id ?? "";
const nameInBody = ({ body }: RawRequest): string => textOf(body.version_name) || textOf(body.version);
const idInRequest = ({ query, body }: RawRequest): string => textOf(body.id) || (query.id ?? "");
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function audit(method: string, detail: Audit["detail"], body: Audit["body"] = "json"): Audit {
  return { method, function: "Version Delivery", detail, body };
}

const openPath = "/openapi/delivery/releases";
const consolePath = "/api/aslan/delivery/releases";

/** What the console does with versions, which names the project otherwise (contract D 1.15). */
function family(path: typeof openPath | typeof consolePath) {
  const isConsole = path === consolePath;
  const queryAliases = isConsole ? { projectKey: ["projectName"] } : {};
  return {
    read: defineRoute({
      method: "GET",
      path: `${path}/:id(hex)`,
      summary: "Read a delivery version with its services, and the digest and state of every image",
      tag,
      permission: ofItsProject,
      params: schemas.ofVersion,
      query: schemas.optionalProject,
      queryAliases,
      response: schemas.shownVersion,
    }),
    remove: defineRoute({
      method: "DELETE",
      path: `${path}/:id(hex)`,
      summary: "Delete a delivery version; what was pushed stays",
      tag,
      permission: { kind: "verb", verbs: ["delete_delivery"] },
      scope: askedScope,
      params: schemas.ofVersion,
      query: schemas.ofProject,
      queryAliases,
      response: message,
      audit: audit("Delete", inPath, "none"),
    }),
    create: defineRoute({
      method: "POST",
      path: `${path}/k8s`,
      summary: "Make a delivery version of manifests: images are copied to their registry, each by its digest",
      tag,
      permission: maker,
      scope: sentScope,
      body: schemas.newVersion,
      response: message,
      audit: audit("Create", nameInBody),
    }),
    createOfCharts: defineRoute({
      method: "POST",
      path: `${path}/helm`,
      summary: "Make a delivery version of charts: each is packed with its values and images, and pushed",
      tag,
      permission: maker,
      scope: sentScope,
      body: schemas.newChartVersion,
      response: message,
      audit: audit("Create", nameInBody),
    }),
    retry: defineRoute({
      method: "POST",
      path: `${path}/retry`,
      summary: "Do what did not pass of a failed delivery version again",
      tag,
      permission: maker,
      scope: { project: [fromBody("project_key"), fromQuery("projectKey")] },
      query: schemas.retryQuery,
      queryAliases,
      body: schemas.retryBody,
      response: message,
      audit: audit("Retry", idInRequest),
    }),
  };
}

const open = family(openPath);
const console = family(consolePath);

const askedOfProject = {
  queryAliases: { projectKey: ["projectName"] },
  tag,
  permission: looker,
  scope: askedScope,
} as const;

function releaseList(path: typeof consolePath | "/api/directory/dc/releases") {
  return defineRoute({
    method: "GET",
    path,
    summary: "List delivery versions with their images, the newest first, in the form of older releases",
    tag,
    permission: { kind: "systemVerb", verb: "release_get", orInProject: "get_delivery" },
    query: releases.query,
    queryAliases: { projectName: ["projectKey"], per_page: ["perPage", "pageSize"], page: ["pageNum"] },
    response: releases.list,
  });
}

export const deliveryRoutes = {
  listReleases: releaseList(consolePath),
  listDirectoryReleases: releaseList("/api/directory/dc/releases"),
  getVersionManifest: defineRoute({
    method: "GET",
    path: `${openPath}/:id(hex)/manifest`,
    summary: "Read a delivery version as one YAML, its images by digest",
    tag,
    permission: ofItsProject,
    params: schemas.ofVersion,
    query: schemas.optionalProject,
    response: uses.manifest,
    responseType: "text",
  }),
  compareVersions: defineRoute({
    method: "GET",
    path: `${openPath}/:id(hex)/diff/:other(hex)`,
    summary: "Compare two delivery versions: images and YAML of every service",
    tag,
    permission: ofItsProject,
    params: uses.ofTwoVersions,
    query: schemas.optionalProject,
    response: uses.difference,
    cutAt: "services",
  }),
  deployVersion: previewable(
    defineRoute({
      method: "POST",
      path: `${openPath}/:id(hex)/deploy`,
      summary: "Deploy the images of a delivery version into an environment, by digest",
      tag,
      permission: deployer,
      scope: { project: fromQuery("projectKey"), environment: fromBody("env_key") },
      freeze: freezeAt,
      params: schemas.ofVersion,
      query: schemas.ofProject,
      body: uses.deployBody,
      response: successWithWarnings,
      audit: {
        ...audit("Deploy", inPath),
        scene: "environment",
        targets: ({ body }) => [textOf(body.env_key)].filter((name) => name !== ""),
      },
    }),
  ),
  listVersionLabels: defineRoute({
    ...askedOfProject,
    method: "GET",
    path: `${consolePath}/labels`,
    summary: "List the labels of a project's delivery versions",
    query: schemas.ofProject,
    response: z.array(z.string()),
  }),
  checkVersionName: defineRoute({
    ...askedOfProject,
    method: "GET",
    path: `${consolePath}/check`,
    summary: "Tell whether a delivery version may have this name: 6566 when it is empty or taken",
    query: uses.checkedName,
    response: message,
  }),
  downloadChart: defineRoute({
    method: "GET",
    path: `${consolePath}/helm/charts`,
    summary: "Download a chart of a delivery version as it was packed, with its values and images",
    tag,
    permission: reader,
    scope: askedScope,
    query: uses.chartOfVersion,
    queryAliases: { projectKey: ["projectName"] },
    response: uses.archive,
    responseType: "gzip",
  }),
  nextChartVersions: defineRoute({
    method: "GET",
    path: `${consolePath}/helm/charts/version`,
    summary: "Tell the newest version of charts in a chart repository, and the one that would follow",
    tag,
    permission: { kind: "anyRole" },
    query: uses.chartsOfRepository,
    response: uses.nextVersions,
  }),
  mergeGlobalVariables: defineRoute({
    method: "POST",
    path: `${consolePath}/helm/global-variables`,
    summary: "Write global variables over the values of charts; nothing is stored",
    tag,
    permission: { kind: "authenticated" },
    reads: true,
    body: uses.globalVariables,
    response: uses.mergedServices,
  }),
  listDeliveryVersions: defineRoute({
    method: "GET",
    path: openPath,
    summary: "List delivery versions, the newest first",
    tag,
    permission: reader,
    scope: askedScope,
    query: schemas.versionPage,
    response: schemas.versionList,
  }),
  getDeliveryVersionByName: defineRoute({
    method: "GET",
    path: `${openPath}/detail`,
    summary: "Read a delivery version by its name",
    tag,
    permission: reader,
    scope: askedScope,
    query: schemas.byName,
    response: schemas.shownVersion,
  }),
  getDeliveryVersion: open.read,
  deleteDeliveryVersion: open.remove,
  createDeliveryVersion: open.create,
  createChartVersion: open.createOfCharts,
  retryDeliveryVersion: open.retry,
  getConsoleDeliveryVersion: console.read,
  deleteConsoleDeliveryVersion: console.remove,
  createConsoleDeliveryVersion: console.create,
  createConsoleChartVersion: console.createOfCharts,
  retryConsoleDeliveryVersion: console.retry,
};
