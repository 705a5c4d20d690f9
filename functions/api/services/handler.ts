import type * as z from "zod";
import { mayReadServiceSecrets } from "../../../shared/access/identity/rules/mayReadSecrets.ts";
import { ApiError, notFound } from "../../../shared/base/errors/apiError.ts";
import { config } from "../../../shared/base/settings/config.ts";
import type { ServiceKind } from "../../../shared/base/store/keys/keys.ts";
import { recordDefinition } from "../../../shared/environments/apply/recordDefinition.ts";
import { createApi, type Previews } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { pageOf } from "../../../shared/http/optionalPaging.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import { createChartService } from "../../../shared/projects/services/createChartService.ts";
import { createFromTemplate, createService, previewCreation } from "../../../shared/projects/services/createService.ts";
import { previewContent, previewDefinition } from "../../../shared/projects/services/previewDefinition.ts";
import { findServiceLabels } from "../../../shared/projects/services/store/serviceLabels.ts";
import { findService, listServices, removeService } from "../../../shared/projects/services/store/services.ts";
import { findStandingRevision, pageOfRevisions } from "../../../shared/projects/services/store/standingRevisions.ts";
import { findLabelKeys } from "../../../shared/projects/store/labels.ts";
import { requireProject } from "../../../shared/projects/store/projects.ts";
import {
  contentWithVariables,
  contentWithYaml,
  replaceYaml,
  requireService,
  type ServiceAddress,
  serviceWords,
  setVariables,
} from "./changeService.ts";
import { importYaml } from "./importYaml.ts";
import { readCharts } from "./readCharts.ts";
import { serviceRoutes } from "./routes.ts";
import type {
  listOfProject,
  newService,
  newVariables,
  newYaml,
  revisionList,
  serviceDetail,
  templateLoad,
} from "./schemas.ts";
import { detailAnswer, itemAnswer, revisionAnswer, toLoad, toNewService } from "./wire.ts";

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
      if (revision > 1) await recordDefinition({ ...query, kind, service: name }, true);
      return success;
    },
    loadCharts: ({ query, body, caller }) =>
      readCharts({ ...query, kind: body.production ? "production" : "test" }, body, caller.name),
    importYaml: async ({ query, body, caller }) => successWith(await importYaml(query, body, caller.name)),
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
      if (revision > 1) await recordDefinition({ ...query, kind, service: wanted.name }, true);
      return successWith(warnings);
    },
    load: async ({ body, caller }: Omit<Sent<z.output<typeof templateLoad>>, "query">) => {
      const wanted = { kind, ...toLoad(body) };
      const { revision, warnings } = await createFromTemplate(wanted, caller.name);
      if (revision > 1) await recordDefinition({ projectKey: wanted.projectKey, kind, service: wanted.name }, true);
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
      await recordDefinition({ ...query, kind, service: params.serviceName }, false);
      return success;
    },
  };
}

type All = Previews<typeof serviceRoutes>;

interface DefinitionPreviews {
  create: All["createTestService"];
  load: All["loadTestTemplate"];
  replace: All["replaceTestService"];
  setVariables: All["setTestServiceVariables"];
  remove: All["removeTestService"];
}

/** `dryRun=true` on the services of one kind. */
function previewsOf(kind: ServiceKind): DefinitionPreviews {
  return {
    create: ({ query, body }) => previewCreation({ ...query, kind, ...toNewService(body) }),
    load: ({ body }) => previewCreation({ kind, ...toLoad(body) }),
    replace: async ({ params: { serviceName: name }, query, body }) => {
      const { before, content } = await contentWithYaml({ ...query, kind, name }, body);
      return previewContent(name, before, content);
    },
    setVariables: async ({ params: { serviceName: name }, query, body }) => {
      const { before, content } = await contentWithVariables({ ...query, kind, name }, body.service_variable_kvs);
      return previewContent(name, before, content);
    },
    remove: async ({ params: { serviceName: name }, query: { projectKey } }) =>
      previewDefinition(name, await findService(projectKey, kind, name), undefined),
  };
}

/**
 * The labels of a service by key, of both kinds when `production` is not given (contract P 2.2).
 * @throws ApiError 404; 500 for a label whose definition is missing, in the words of the specification's section 7
 */
async function readLabels(
  projectKey: string,
  name: string,
  production: boolean | undefined,
): Promise<{ key: string; value: string }[]> {
  const kinds: ServiceKind[] = production === undefined ? ["test", "production"] : [production ? "production" : "test"];
  const [bindings, { byId }] = await Promise.all([
    findServiceLabels(projectKey, kinds, name),
    findLabelKeys({ consistent: false }),
  ]);
  if (bindings === undefined) throw notFound(`service ${name} of project ${projectKey}`);
  const labels = bindings.map(({ labelId, value }) => ({ key: byId[labelId] ?? missing(labelId), value }));
  return labels.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function missing(labelId: string): never {
  const description = `failed to find the definition of label ${labelId}`;
  throw new ApiError(500, description, { message: "Internal Error" });
}

/** A page of what was stored under the name of a service, newest first (contract P 2.8). @throws ApiError 404 */
async function listRevisions(
  address: ServiceAddress,
  { pageNum, pageSize }: { pageNum: number; pageSize: number },
): Promise<z.input<typeof revisionList>> {
  const page = await pageOfRevisions(address, pageNum, pageSize);
  if (page === undefined) throw notFound(serviceWords(address));
  return { total: page.total, revisions: page.revisions.map(revisionAnswer) };
}

/** One of them as the service was with it. @throws ApiError 404 */
async function readRevision(
  address: ServiceAddress,
  revision: number,
  shown: { withSecrets: boolean },
): Promise<z.input<typeof serviceDetail>> {
  const found = await findStandingRevision(address, revision);
  if (found === undefined) throw notFound(`revision ${revision} of ${serviceWords(address)}`);
  return detailAnswer(found, shown);
}
