import { loadText } from "../../../shared/aws/objects/objectStore.ts";
import { addServices, updateServices } from "../../../shared/environments/changeServices.ts";
import { deleteEnvironment } from "../../../shared/environments/deleteEnvironment.ts";
import { readEnvironmentDetail } from "../../../shared/environments/readEnvironmentDetail.ts";
import { removeServices } from "../../../shared/environments/removeServices.ts";
import { type EnvironmentName, environmentMissing } from "../../../shared/environments/requireEnvironment.ts";
import { findEnvironment, findManifest } from "../../../shared/environments/store/environments.ts";
import { notFound } from "../../../shared/errors/apiError.ts";
import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { successWith } from "../../../shared/http/schemas.ts";
import { mayReadSecrets } from "../../../shared/identity/rules/mayReadSecrets.ts";
import { maskedManifest } from "../../../shared/kube/maskedManifest.ts";
import { configFormHandlers } from "./configHandlers.ts";
import { createProductionEnvironment, createTestEnvironment } from "./create.ts";
import { driftAnswer } from "./driftAnswer.ts";
import { helmHandlers, helmPreviews } from "./helmHandlers.ts";
import { visibleEnvironments } from "./listEnvironments.ts";
import { listEvents } from "./listEvents.ts";
import { previewForms, previewOfCreation } from "./previews.ts";
import { readInstance } from "./readInstance.ts";
import { environmentRoutes, named, type productionRoutes, type testRoutes } from "./routes.ts";
import { toServiceRequests } from "./serviceRequests.ts";
import { shareFormHandlers } from "./shareHandlers.ts";
import { sleepEnvironmentByOlderPath, sleepFormHandlers } from "./sleepHandlers.ts";
import { updateHandlers, updatePreviews } from "./updateHandlers.ts";
import { variableFormHandlers } from "./variableHandlers.ts";
import { versionFormHandlers } from "./versionHandlers.ts";
import { toDetail, toItem } from "./wire.ts";
import { workloadFormHandlers, workloadHandlers, workloadPreviews } from "./workloadHandlers.ts";

/** The endpoints that both kinds have. */
function handlersOf(production: boolean): Omit<Handlers<typeof testRoutes>, "create"> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    ...workloadFormHandlers(production),
    ...versionFormHandlers(production),
    ...configFormHandlers(production),
    ...variableFormHandlers(production),
    ...sleepFormHandlers(production),
    list: async ({ query, caller }) => (await visibleEnvironments(query.projectKey, production, caller)).map(toItem),
    detail: async ({ params, query }) => toDetail(await readEnvironmentDetail(at(query.projectKey, params.envName))),
    drift: ({ params, query }) => driftAnswer(at(query.projectKey, params.envName)),
    instance: ({ params, query }) => readInstance(at(query.projectKey, params.envName), params.serviceName),
    yaml: ({ query, caller }) => readManifest(at(query.projectKey, query.envName), query.serviceName, caller),
    yamlBySingular: ({ query, caller }) => readManifest(at(query.projectKey, query.envName), query.serviceName, caller),
    remove: async ({ params, query, caller }) => {
      const options = { deleteObjects: query.isDelete, deleteCrds: query.delete_crds };
      return successWith(await deleteEnvironment(at(query.projectKey, params.envName), options, caller));
    },
    addServices: async ({ query, body, caller }) => {
      const { adopt = false } = body;
      const name = at(query.projectKey, body.env_key);
      return successWith(await addServices(name, toServiceRequests(body.service_list), { adopt }, caller));
    },
    updateServices: async ({ query, body, caller }) => {
      const { reset = false, delete_crds: deleteCrds = false } = body;
      const name = at(query.projectKey, body.env_key);
      const options = { reset, deleteCrds };
      return successWith(await updateServices(name, toServiceRequests(body.service_list), options, caller));
    },
    updateServicesByPath: async ({ params, query, body, caller }) => {
      const { reset = false, delete_crds: deleteCrds = false } = body;
      const name = at(query.projectKey, params.envName);
      const options = { reset, deleteCrds };
      return successWith(await updateServices(name, toServiceRequests(body.service_list), options, caller));
    },
    removeServices: async ({ query, body, caller }) => {
      const environment = at(query.projectKey, body?.env_key ?? query.env_name ?? "");
      const names = body?.service_names ?? query.service_name ?? [];
      const deleteCrds = body?.delete_crds ?? query.delete_crds;
      const options = { keepObjects: body?.not_delete_resource ?? false, deleteCrds };
      return successWith(await removeServices(environment, names, options, caller));
    },
  };
}

const test: Handlers<typeof testRoutes> = {
  ...handlersOf(false),
  create: async ({ query, body, caller }) => {
    return successWith(await createTestEnvironment(query.projectKey, body, caller));
  },
};

const production: Handlers<typeof productionRoutes> = {
  ...handlersOf(true),
  create: async ({ query, body, caller }) => {
    return successWith(await createProductionEnvironment(query.projectKey, body, caller));
  },
};

export const handler = createApi(
  environmentRoutes,
  {
    ...named(test, "TestEnvironment"),
    ...named(production, "ProductionEnvironment"),
    listKubeEvents: ({ environment, query }) => listEvents(environment, query),
    ...updateHandlers,
    ...shareFormHandlers(false),
    ...named(shareFormHandlers(true), "InProduction"),
    ...workloadHandlers,
    ...helmHandlers,
    listEnvironmentsByOlderPath: test.list,
    createEnvironmentByOlderPath: test.create,
    sleepEnvironmentByOlderPath,
  },
  {
    ...named({ ...previewForms(false), create: previewOfCreation.test }, "TestEnvironment"),
    ...named({ ...previewForms(true), create: previewOfCreation.production }, "ProductionEnvironment"),
    ...updatePreviews,
    ...workloadPreviews,
    ...helmPreviews,
  },
);

/**
 * The manifest of a service as the platform applies it, variables and images filled in (contract P 5.2); values of Secrets
 * only for callers who may see them (decisions 17.5).
 */
async function readManifest(name: EnvironmentName, service: string, caller: Caller): Promise<string> {
  const [environment, manifest] = await Promise.all([
    findEnvironment(name.projectKey, name.envKey, { consistent: false }),
    findManifest(name.projectKey, name.envKey, service, { consistent: false }),
  ]);
  if (environment?.production !== name.production) throw environmentMissing(name);
  if (manifest === undefined) throw notFound(`service ${service} in environment ${name.envKey}`);
  const text = await loadText(manifest.text);
  return mayReadSecrets(caller, name) ? text : maskedManifest(text);
}
