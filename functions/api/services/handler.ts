import type * as z from "zod";
import { noteDefinition } from "../../../shared/environments/noteDefinition.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { pageOf } from "../../../shared/http/optionalPaging.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import { mayReadServiceSecrets } from "../../../shared/identity/rules/mayReadSecrets.ts";
import { requireProject } from "../../../shared/projects/store/projects.ts";
import { createChartService } from "../../../shared/services/createChartService.ts";
import { createFromTemplate, createService } from "../../../shared/services/createService.ts";
import { listServices, removeService } from "../../../shared/services/store/services.ts";
import { config } from "../../../shared/settings/config.ts";
import type { ServiceKind } from "../../../shared/store/keys.ts";
import { replaceYaml, requireService, setVariables } from "./changeService.ts";
import { loadCharts } from "./loadCharts.ts";
import { previewsOf } from "./previews.ts";
import { readLabels } from "./readLabels.ts";
import { listRevisions, readRevision } from "./readRevisions.ts";
import { serviceRoutes } from "./routes.ts";
import type { listOfProject, newService, newVariables, newYaml, templateLoad } from "./schemas.ts";
import { detailAnswer, itemAnswer, toLoad, toNewService } from "./wire.ts";

interface InProject {
  query: { projectKey: string };
}
interface Listed {
  query: z.output<typeof listOfProject>;
  setHeader(name: string, value: string): void;
}
interface OfService extends InProject {
  params: { serviceName: string };
}
interface Called {
  caller: Caller;
}
interface Page {
  pageNum: number;
  pageSize: number;
}
interface Sent<Body> extends InProject {
  body: Body;
  caller: { name: string };
}

const test = handlersOf("test");
const production = handlersOf("production");
const testPreviews = previewsOf("test");
const productionPreviews = previewsOf("production");

export const handler = createApi(
  serviceRoutes,
  {
    listTestServices: async (input) => {
      const service = await test.list(input);
      return config().SLIPWAY_REFERENCE_SHAPES ? service : { service };
    },
    getTestService: test.get,
    listTestServiceRevisions: test.listRevisions,
    getTestServiceRevision: test.getRevision,
    createTestService: test.create,
    replaceTestService: test.replace,
    setTestServiceVariables: test.setVariables,
    removeTestService: test.remove,
    listProductionServices: production.list,
    getProductionService: production.get,
    listProductionServiceRevisions: production.listRevisions,
    getProductionServiceRevision: production.getRevision,
    createProductionService: production.create,
    replaceProductionService: production.replace,
    setProductionServiceVariables: production.setVariables,
    removeProductionService: production.remove,

    listServiceLabels: async ({ params, query: { projectKey, production } }) =>
      readLabels(projectKey, params.serviceName, production),

    loadTestTemplate: test.load,
    loadProductionTemplate: production.load,
    loadChartTemplate: async ({ query, body, caller }) => {
      const { service_name: name, template_name: templateName, values_yaml: valuesYaml, variables } = body;
      const kind = body.production ? "production" : "test";
      const sent = { templateName, valuesYaml, variables, autoSync: body.auto_sync };
      const wanted = { ...query, kind, name, ...sent } as const;
      const { revision } = await createChartService(wanted, caller.name);
      if (revision > 1) await noteDefinition({ ...query, kind, service: name }, true);
      return success;
    },
    loadCharts: ({ query, body, caller }) =>
      loadCharts({ ...query, kind: body.production ? "production" : "test" }, body, caller.name),
  },
  {
    createTestService: testPreviews.create,
    replaceTestService: testPreviews.replace,
    setTestServiceVariables: testPreviews.setVariables,
    removeTestService: testPreviews.remove,
    loadTestTemplate: testPreviews.load,
    createProductionService: productionPreviews.create,
    replaceProductionService: productionPreviews.replace,
    setProductionServiceVariables: productionPreviews.setVariables,
    removeProductionService: productionPreviews.remove,
    loadProductionTemplate: productionPreviews.load,
  },
);

function handlersOf(kind: ServiceKind) {
  const addressOf = ({ params, query }: OfService) => ({ ...query, kind, name: params.serviceName });
  const shownTo = ({ caller, query }: OfService & Called) => ({
    withSecrets: mayReadServiceSecrets(caller, query.projectKey, kind),
  });
  return {
    list: async ({ query, setHeader }: Listed) => {
      const { projectKey, keyword } = query;
      const [services] = await Promise.all([listServices(projectKey, kind), requireProject(projectKey)]);
      const text = keyword.toLowerCase();
      const found = services.filter(({ name }) => name.toLowerCase().includes(text));
      setHeader("x-total", String(found.length));
      return pageOf(found, query).map(itemAnswer);
    },
    get: async (input: OfService & Called) => detailAnswer(await requireService(addressOf(input)), shownTo(input)),
    listRevisions: async ({ params, query: { projectKey, ...page } }: OfService & { query: Page }) =>
      listRevisions({ projectKey, kind, name: params.serviceName }, page),
    getRevision: async (input: OfService & Called & { params: { revision: number } }) =>
      readRevision(addressOf(input), input.params.revision, shownTo(input)),
    create: async ({ query, body, caller }: Sent<z.output<typeof newService>>) => {
      const wanted = { ...query, kind, ...toNewService(body) };
      const { revision, warnings } = await createService(wanted, caller.name);
      if (revision > 1) await noteDefinition({ ...query, kind, service: wanted.name }, true);
      return successWith(warnings);
    },
    load: async ({ body, caller }: Omit<Sent<z.output<typeof templateLoad>>, "query">) => {
      const wanted = { kind, ...toLoad(body) };
      const { revision, warnings } = await createFromTemplate(wanted, caller.name);
      if (revision > 1) await noteDefinition({ projectKey: wanted.projectKey, kind, service: wanted.name }, true);
      return successWith(warnings);
    },
    replace: async (input: OfService & Sent<z.output<typeof newYaml>>) => {
      return successWith(await replaceYaml(addressOf(input), input.body, input.caller.name));
    },
    setVariables: async (input: OfService & Sent<z.output<typeof newVariables>>) => {
      return successWith(await setVariables(addressOf(input), input.body.service_variable_kvs));
    },
    remove: async ({ params, query }: OfService) => {
      await removeService(query.projectKey, kind, params.serviceName);
      await noteDefinition({ ...query, kind, service: params.serviceName }, false);
      return success;
    },
  };
}
