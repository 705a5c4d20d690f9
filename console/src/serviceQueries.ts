import { type components, taken } from "@slipway/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { slipway } from "./session.ts";

export type ServiceDetail = components["schemas"]["ServiceDetail"];
export type Variable = ServiceDetail["service_variable_kvs"][number];

/** A definition of a service: test and production have each their own. */
export interface Definition {
  project: string;
  service: string;
  production: boolean;
}

export const servicesOnPage = 50;
export const revisionsOnPage = 20;

const serviceParams = ({ project, service }: Definition) => ({
  path: { serviceName: service },
  query: { projectKey: project },
});
const previewed = (isPreview: boolean) => (isPreview ? { dryRun: "true" as const } : {});

/** Services of one kind by name. @param text a part of their names, or empty for all @param page from 1 */
export const servicesQuery = (of: { project: string; production: boolean; text: string; page: number }) =>
  queryOptions({
    queryKey: ["services", of],
    queryFn: async () => {
      const { project, text, page } = of;
      const paging = { keyword: text, pageNum: String(page), pageSize: String(servicesOnPage) };
      const params = { query: { projectKey: project, ...paging } };
      const at = of.production
        ? ("/openapi/service/yaml/production/services" as const)
        : ("/openapi/service/yaml/services" as const);
      const { data = [], response } = await slipway().GET(at, { params });
      const list = "service" in data ? data.service : data;
      return { list, total: Number(response.headers.get("x-total") ?? list.length) };
    },
    // The last page stays until the next one is there.
    placeholderData: keepPreviousData,
  });

export const serviceQuery = (of: Definition) =>
  queryOptions({
    queryKey: ["service", of],
    queryFn: () => {
      const at = of.production
        ? ("/openapi/service/yaml/production/{serviceName}" as const)
        : ("/openapi/service/yaml/{serviceName}" as const);
      return taken(slipway().GET(at, { params: serviceParams(of) }));
    },
  });

/** @param page from 1, the newest revisions first */
export const revisionsQuery = (of: Definition, page: number) =>
  queryOptions({
    queryKey: ["revisions", of, page],
    queryFn: () => {
      const { path, query } = serviceParams(of);
      const params = { path, query: { ...query, pageNum: String(page), pageSize: String(revisionsOnPage) } };
      const at = of.production
        ? ("/openapi/service/yaml/production/{serviceName}/revisions" as const)
        : ("/openapi/service/yaml/{serviceName}/revisions" as const);
      return taken(slipway().GET(at, { params }));
    },
  });

/** The service as it was with a revision. Its YAML stays; the variables of the newest one can change. */
export const revisionQuery = (of: Definition, revision: number) =>
  queryOptions({
    queryKey: ["revision", of, revision],
    queryFn: () => {
      const { path, query } = serviceParams(of);
      const params = { path: { ...path, revision: String(revision) }, query };
      const at = of.production
        ? ("/openapi/service/yaml/production/{serviceName}/revisions/{revision}" as const)
        : ("/openapi/service/yaml/{serviceName}/revisions/{revision}" as const);
      return taken(slipway().GET(at, { params }));
    },
  });

/** Gives a service another text, or says what that would change. */
export function saveService(of: Definition, yaml: string, isPreview: boolean) {
  const { path, query } = serviceParams(of);
  const params = { path, query: { ...query, ...previewed(isPreview) } };
  const at = of.production
    ? ("/openapi/service/yaml/production/{serviceName}" as const)
    : ("/openapi/service/yaml/{serviceName}" as const);
  return taken(slipway().PUT(at, { params, body: { type: "k8s", yaml } }));
}

export function createService({ project, service, production }: Definition, yaml: string, isPreview: boolean) {
  const params = { query: { projectKey: project, ...previewed(isPreview) } };
  const at = production ? ("/openapi/service/yaml/production/raw" as const) : ("/openapi/service/yaml/raw" as const);
  return taken(slipway().POST(at, { params, body: { service_name: service, yaml } }));
}

export function saveDefaults(of: Definition, service_variable_kvs: Variable[]) {
  const at = of.production
    ? ("/openapi/service/yaml/production/{serviceName}/variable" as const)
    : ("/openapi/service/yaml/{serviceName}/variable" as const);
  return taken(slipway().PUT(at, { params: serviceParams(of), body: { service_variable_kvs } }));
}
