import * as z from "zod";
import { defineRoute, fromPath, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { message, paging, queryBoolean, successWithWarnings } from "../../../shared/http/schemas.ts";
import { boundary, newBoundary } from "./boundarySchemas.ts";
import { deliveryHook, newDeliveryHook } from "./deliveryHook.ts";
import { newHelmProject, newYamlProject } from "./initSchemas.ts";
import { newRetention, retention } from "./retentionSchemas.ts";
import { globalVariables, newGlobalVariables, newProject, ofProject, projectDetail, projectList } from "./schemas.ts";
import { newSearchingRules, searchingRules } from "./searchingRules.ts";
import { newVerification, verification } from "./verificationSchemas.ts";

const tag = "Projects";
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const namedKey = ({ body }: RawRequest): string => textOf(body.project_key);
const namedProject = ({ body }: RawRequest): string => textOf(body.project_name);
const inPath = ({ params }: RawRequest): string => params.projectKey ?? "";
const inQuery = ({ query }: RawRequest): string => query.projectKey ?? "";

/** Settings that its administrators alone see and replace. */
const ofAdministrators = {
  tag,
  permission: { kind: "projectAdmin" },
  scope: { project: fromQuery("projectKey") },
  query: ofProject,
} as const;

const definitions = {
  method: "PUT",
  tag,
  scope: { project: fromPath("name") },
  params: z.object({ name: z.string() }),
  body: newGlobalVariables,
  response: message,
  audit: {
    method: "Update",
    function: "Project Global Variables",
    detail: ({ params }: RawRequest) => params.name ?? "",
    body: "json",
  },
} as const;

export const projectRoutes = {
  createProject: defineRoute({
    method: "POST",
    path: "/openapi/projects/project",
    summary: "Create an empty project",
    tag,
    permission: { kind: "systemAdmin" },
    body: newProject,
    response: message,
    audit: {
      method: "Add",
      function: "Project Management - Project",
      detail: namedProject,
      project: namedKey,
      body: "json",
    },
  }),
  initYamlProject: defineRoute({
    method: "POST",
    path: "/openapi/projects/project/init/yaml",
    summary: "Create a project with its services and environments; after a failure the same request goes on",
    tag,
    permission: { kind: "systemAdmin" },
    body: newYamlProject,
    response: message,
    audit: {
      method: "Initialize",
      function: "Project Management - K8S Project",
      detail: namedProject,
      project: namedKey,
      body: "json",
    },
  }),
  initHelmProject: defineRoute({
    method: "POST",
    path: "/openapi/projects/project/init/helm",
    summary: "Create a project of charts with its services and environments; after a failure the same request goes on",
    tag,
    permission: { kind: "systemAdmin" },
    body: newHelmProject,
    response: message,
    audit: {
      method: "Initialize",
      function: "Project Management - Helm Project",
      detail: namedProject,
      project: namedKey,
      body: "json",
    },
  }),
  deleteProject: defineRoute({
    method: "DELETE",
    path: "/openapi/projects/project",
    summary: "Delete a project; with isDelete the objects of its test environments go too",
    tag,
    permission: { kind: "projectAdmin" },
    freeze: "use-case",
    scope: { project: fromQuery("projectKey") },
    query: ofProject.extend({ isDelete: queryBoolean }),
    response: message,
    audit: {
      method: "Delete",
      function: "Project Management - Project",
      detail: inQuery,
      body: "none",
    },
  }),
  listProjects: defineRoute({
    method: "GET",
    path: "/openapi/projects/project",
    summary: "List the projects that the caller may see, the one changed last first",
    tag,
    permission: { kind: "filtered" },
    query: z.object(paging),
    response: projectList,
  }),
  getProject: defineRoute({
    method: "GET",
    path: "/openapi/projects/project/detail",
    summary: "Read one project",
    tag,
    permission: { kind: "member" },
    scope: { project: fromQuery("projectKey") },
    query: ofProject,
    response: projectDetail,
  }),
  getGlobalVariables: defineRoute({
    method: "GET",
    path: "/openapi/projects/project/globalVariable",
    summary: "Read the definitions of a project's global variables",
    tag,
    permission: { kind: "verb", verbs: ["get_service", "get_environment"] },
    scope: { project: fromQuery("projectKey") },
    query: ofProject,
    response: globalVariables,
  }),
  getDeliveryHook: defineRoute({
    ...ofAdministrators,
    method: "GET",
    path: "/openapi/projects/project/deliveryHook",
    summary: "Read who is told of a project's delivery versions",
    response: deliveryHook,
  }),
  setDeliveryHook: defineRoute({
    ...ofAdministrators,
    method: "PUT",
    path: "/openapi/projects/project/deliveryHook",
    summary: "Replace who is told of a project's delivery versions when they are made",
    body: newDeliveryHook,
    response: message,
    audit: {
      method: "Update",
      function: "Version Delivery",
      detail: inQuery,
      body: "json",
    },
  }),
  getVerification: defineRoute({
    ...ofAdministrators,
    method: "GET",
    path: "/openapi/projects/project/verification",
    summary: "Read whose signatures images of a project need before they come into production",
    response: verification,
  }),
  setVerification: defineRoute({
    ...ofAdministrators,
    method: "PUT",
    path: "/openapi/projects/project/verification",
    summary: "Replace whose signatures images of a project need: those of a key, or of an identity",
    body: newVerification,
    response: message,
    audit: {
      method: "Update",
      function: "Image Verification",
      detail: inQuery,
      body: "json",
    },
  }),
  getBoundary: defineRoute({
    method: "GET",
    path: "/openapi/system/projects/:projectKey/boundary",
    summary: "Read which namespaces, cluster-scoped kinds and pods a project may use",
    tag,
    permission: { kind: "projectAdmin" },
    scope: { project: fromPath("projectKey") },
    params: z.object({ projectKey: z.string() }),
    response: boundary,
  }),
  setBoundary: defineRoute({
    method: "PUT",
    path: "/openapi/system/projects/:projectKey/boundary",
    summary: "Replace which namespaces, cluster-scoped kinds and pods a project may use",
    tag,
    permission: { kind: "systemAdmin" },
    params: z.object({ projectKey: z.string() }),
    body: newBoundary,
    response: successWithWarnings,
    audit: {
      method: "Update",
      function: "Project Boundary",
      detail: inPath,
      project: inPath,
      body: "json",
    },
  }),
  getRetention: defineRoute({
    method: "GET",
    path: "/openapi/system/projects/:projectKey/retention",
    summary: "Read how long a project keeps tasks, logs and versions of services, and what was removed so far",
    tag,
    permission: { kind: "projectAdmin" },
    scope: { project: fromPath("projectKey") },
    params: z.object({ projectKey: z.string() }),
    response: retention,
  }),
  setRetention: defineRoute({
    method: "PUT",
    path: "/openapi/system/projects/:projectKey/retention",
    summary: "Replace how long a project keeps tasks, logs and versions of services, in days; 0 is for ever",
    tag,
    permission: { kind: "systemAdmin" },
    params: z.object({ projectKey: z.string() }),
    body: newRetention,
    response: message,
    audit: {
      method: "Update",
      function: "Project Retention",
      detail: inPath,
      project: inPath,
      body: "json",
    },
  }),
  getSearchingRules: defineRoute({
    method: "GET",
    path: "/api/aslan/project/products/:name/searching-rules",
    summary: "Read where the values of charts hold images",
    tag,
    permission: { kind: "verb", verbs: ["get_service"] },
    scope: { project: fromPath("name") },
    params: z.object({ name: z.string() }),
    response: searchingRules,
  }),
  setSearchingRules: defineRoute({
    method: "PUT",
    path: "/api/aslan/project/products/:name/searching-rules",
    summary: "Replace where the values of charts hold images; services are searched again",
    tag,
    permission: { kind: "verb", verbs: ["edit_service"] },
    scope: { project: fromPath("name") },
    params: z.object({ name: z.string() }),
    body: newSearchingRules,
    response: message,
    audit: {
      method: "Update",
      function: "Project Management - Project",
      detail: ({ params }: RawRequest) => params.name ?? "",
      body: "json",
    },
  }),
  setTestGlobalVariables: defineRoute({
    ...definitions,
    path: "/api/aslan/project/products/:name/globalVariables",
    summary: "Replace the definitions of the global variables for test environments",
    permission: { kind: "verb", verbs: ["edit_service"] },
  }),
  setProductionGlobalVariables: defineRoute({
    ...definitions,
    path: "/api/aslan/project/products/:name/productionGlobalVariables",
    summary: "Replace the definitions of the global variables for production environments",
    permission: { kind: "verb", verbs: ["edit_production_service"] },
  }),
};
