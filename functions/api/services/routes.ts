import * as z from "zod";
import { previewable } from "../../../shared/http/preview.ts";
import { type Audit, defineRoute, fromBody, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { message, successWithWarnings } from "../../../shared/http/schemas.ts";
import { isRecord } from "../../../shared/manifest/schema/kubeObject.ts";
import {
  chartLoad,
  chartsLoad,
  chartsLoaded,
  listOfProject,
  loaderBody,
  loaderQuery,
  newService,
  newVariables,
  newYaml,
  ofProject,
  ofProjectAndKind,
  pageOfProject,
  revisionList,
  revisionParams,
  serviceDetail,
  serviceItem,
  serviceLabels,
  serviceParams,
  templateLoad,
  testServiceList,
} from "./schemas.ts";

const tag = "Services";
const scope = { project: fromQuery("projectKey") };
const namedInPath = ({ params }: RawRequest): string => params.serviceName ?? "";
const namedInBody = ({ body }: RawRequest): string => (typeof body.service_name === "string" ? body.service_name : "");

/** The service, else the chart or the folders that it comes from. */
function chartInBody({ body: { name, createFrom } }: RawRequest): string {
  if (typeof name === "string" && name !== "") return name;
  const { chartName, path, paths } = isRecord(createFrom) ? createFrom : {};
  return [chartName ?? path ?? paths ?? ""]
    .flat()
    .filter((one) => typeof one === "string")
    .join(", ");
}

const words = {
  test: {
    prefix: "/openapi/service/yaml",
    template: "/openapi/service/template/load/yaml",
    get: "get_service",
    create: "create_service",
    edit: "edit_service",
    remove: "delete_service",
    Kind: "Test",
  },
  production: {
    prefix: "/openapi/service/yaml/production",
    template: "/openapi/service/template/production/load/yaml",
    get: "get_production_service",
    create: "create_production_service",
    edit: "edit_production_service",
    remove: "delete_production_service",
    Kind: "Production",
  },
} as const;

/** Test and production services are two collections with the same endpoints (contract P 2). */
function routesOf<L extends z.ZodType>(kind: keyof typeof words, list: L) {
  const { prefix, template, Kind, ...verbs } = words[kind];
  const adding: Audit = {
    method: "Add",
    function: `Project Management - ${Kind} Service`,
    detail: namedInBody,
    body: "json",
  };
  const changing: Audit = {
    method: `Update ${Kind} Service Config`,
    function: "Project Management - Service",
    detail: namedInPath,
    body: "json",
  };
  return {
    list: defineRoute({
      method: "GET",
      path: `${prefix}/services`,
      summary: `List the ${kind} services of a project by name`,
      tag,
      permission: { kind: "verb", verbs: [verbs.get] },
      scope,
      query: listOfProject,
      response: list,
      wholeToo: true,
    }),
    get: defineRoute({
      method: "GET",
      path: `${prefix}/:serviceName`,
      summary: `Read a ${kind} service`,
      tag,
      permission: { kind: "verb", verbs: [verbs.get] },
      scope,
      params: serviceParams,
      query: ofProject,
      response: serviceDetail,
    }),
    listRevisions: defineRoute({
      method: "GET",
      path: `${prefix}/:serviceName/revisions`,
      summary: `List the revisions of a ${kind} service, newest first`,
      tag,
      permission: { kind: "verb", verbs: [verbs.get] },
      scope,
      params: serviceParams,
      query: pageOfProject,
      response: revisionList,
    }),
    getRevision: defineRoute({
      method: "GET",
      path: `${prefix}/:serviceName/revisions/:revision`,
      summary: `Read a ${kind} service as it was with a revision`,
      tag,
      permission: { kind: "verb", verbs: [verbs.get] },
      scope,
      params: revisionParams,
      query: ofProject,
      response: serviceDetail,
    }),
    create: previewable(
      defineRoute({
        method: "POST",
        path: `${prefix}/raw`,
        summary: `Create a ${kind} service from YAML text`,
        tag,
        permission: { kind: "verb", verbs: [verbs.create] },
        scope,
        query: ofProject,
        body: newService,
        response: successWithWarnings,
        audit: adding,
      }),
    ),
    load: previewable(
      defineRoute({
        method: "POST",
        path: template,
        summary: `Create a ${kind} service from a YAML template; with auto_sync it follows the template`,
        tag,
        permission: { kind: "verb", verbs: [verbs.create] },
        scope: { project: fromBody("project_key") },
        body: templateLoad,
        response: successWithWarnings,
        audit: adding,
      }),
    ),
    replace: previewable(
      defineRoute({
        method: "PUT",
        path: `${prefix}/:serviceName`,
        summary: `Replace the YAML of a ${kind} service by a new revision`,
        tag,
        permission: { kind: "verb", verbs: [verbs.edit] },
        scope,
        params: serviceParams,
        query: ofProject,
        body: newYaml,
        response: successWithWarnings,
        audit: changing,
      }),
    ),
    setVariables: previewable(
      defineRoute({
        method: "PUT",
        path: `${prefix}/:serviceName/variable`,
        summary: `Change the defaults of variables that a ${kind} service has`,
        tag,
        permission: { kind: "verb", verbs: [verbs.edit] },
        scope,
        params: serviceParams,
        query: ofProject,
        body: newVariables,
        response: successWithWarnings,
        audit: { ...changing, method: `Update ${Kind} Service Variables`, body: "none" },
      }),
    ),
    remove: previewable(
      defineRoute({
        method: "DELETE",
        path: `${prefix}/:serviceName`,
        summary: `Delete a ${kind} service; environments that run it stay as they are`,
        tag,
        permission: { kind: "verb", verbs: [verbs.remove] },
        scope,
        params: serviceParams,
        query: ofProject,
        response: message,
        audit: { ...adding, method: "Delete", detail: namedInPath, body: "none" },
      }),
    ),
  };
}

const test = routesOf("test", testServiceList);
const production = routesOf("production", z.array(serviceItem));

export const serviceRoutes = {
  listTestServices: test.list,
  getTestService: test.get,
  listTestServiceRevisions: test.listRevisions,
  getTestServiceRevision: test.getRevision,
  createTestService: test.create,
  loadTestTemplate: test.load,
  replaceTestService: test.replace,
  setTestServiceVariables: test.setVariables,
  removeTestService: test.remove,
  listProductionServices: production.list,
  getProductionService: production.get,
  listProductionServiceRevisions: production.listRevisions,
  getProductionServiceRevision: production.getRevision,
  createProductionService: production.create,
  loadProductionTemplate: production.load,
  replaceProductionService: production.replace,
  setProductionServiceVariables: production.setVariables,
  removeProductionService: production.remove,
  loadChartTemplate: defineRoute({
    method: "POST",
    path: "/openapi/service/template/load/helm",
    summary: "Create a service of a Helm project from a chart template; production says of which kind",
    tag,
    permission: { kind: "verb", verbs: [words.test.create], productionVerbs: [words.production.create] },
    scope: { ...scope, production: fromBody("production") },
    query: ofProject,
    body: chartLoad,
    response: message,
    audit: {
      method: "Add",
      function: "Project Management - Test Service",
      productionFunction: "Project Management - Production Service",
      detail: namedInBody,
      body: "json",
    },
  }),
  loadCharts: defineRoute({
    method: "POST",
    path: "/openapi/service/helm/load",
    summary: "Create services of a Helm project from a chart repository or a code host, or load them again",
    tag,
    permission: { kind: "verb", verbs: [words.test.create], productionVerbs: [words.production.create] },
    scope: { ...scope, production: fromBody("production") },
    query: ofProject,
    body: chartsLoad,
    response: chartsLoaded,
    audit: {
      method: "Add",
      function: "Project Management - Test Service",
      productionFunction: "Project Management - Production Service",
      detail: chartInBody,
      body: "json",
    },
  }),
  importYaml: defineRoute({
    method: "POST",
    path: "/openapi/service/loader/load",
    summary: "Create services from YAML files or folders of a repository, or load them again; all of them or none",
    tag,
    permission: { kind: "verb", verbs: [words.test.create], productionVerbs: [words.production.create] },
    scope: { project: fromBody("product_name"), production: fromQuery("production") },
    query: loaderQuery,
    body: loaderBody,
    response: successWithWarnings,
    audit: {
      method: "Add",
      function: "Project Management - Test Service",
      productionFunction: "Project Management - Production Service",
      detail: ({ query }) => query.repoName || query.repoUUID || "",
      body: "json",
    },
  }),
  listServiceLabels: defineRoute({
    method: "GET",
    path: "/openapi/service/yaml/:serviceName/labels",
    summary: "List the labels of a service",
    tag,
    permission: { kind: "verb", verbs: ["get_service"] },
    scope,
    params: serviceParams,
    query: ofProjectAndKind,
    response: serviceLabels,
  }),
};
