import { mayReadEnvironment } from "../../../shared/access/identity/rules/mayReadEnvironment.ts";
import { mayReadSecrets } from "../../../shared/access/identity/rules/mayReadSecrets.ts";
import { readStoredText } from "../../../shared/base/aws/objects/objectStore.ts";
import { notFound } from "../../../shared/base/errors/apiError.ts";
import { addServices, updateServices } from "../../../shared/environments/change/changeServices.ts";
import { deleteEnvironment } from "../../../shared/environments/change/deleteEnvironment.ts";
import { removeServices } from "../../../shared/environments/change/removeServices.ts";
import { rollbackService } from "../../../shared/environments/change/rollbackService.ts";
import { previewEnvironmentUpdate, updateEnvironment } from "../../../shared/environments/change/updateEnvironment.ts";
import { readEnvironmentDetail } from "../../../shared/environments/read/readEnvironmentDetail.ts";
import { diffVersions, serviceVersions } from "../../../shared/environments/read/serviceVersions.ts";
import { type EnvironmentName, environmentMissing } from "../../../shared/environments/requireEnvironment.ts";
import {
  type EnvironmentSummary,
  findEnvironment,
  findManifest,
  listEnvironments,
} from "../../../shared/environments/store/environments.ts";
import { createApi, type Handlers, type Previews } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import { maskedManifest } from "../../../shared/kube/live/maskedManifest.ts";
import { createAwaitedCopies } from "../../../shared/lifecycle/collaborations/createCopies.ts";
import { environmentCopies } from "../../../shared/lifecycle/collaborations/environmentCopies.ts";
import { findProject } from "../../../shared/projects/store/projects.ts";
import { configFormHandlers } from "./configs/configHandlers.ts";
import { createProductionEnvironment, createTestEnvironment } from "./create.ts";
import { driftAnswer } from "./driftAnswer.ts";
import { helmHandlers, helmPreviews } from "./helm/helmHandlers.ts";
import { listEvents } from "./listEvents.ts";
import { previewForms, previewOfCreation } from "./previews.ts";
import { readInstance } from "./readInstance.ts";
import { environmentRoutes, named, type productionRoutes, type testRoutes } from "./routes.ts";
import { toServiceRequests } from "./serviceRequests.ts";
import { shareFormHandlers } from "./share/shareHandlers.ts";
import { sleepEnvironmentByOlderPath, sleepFormHandlers } from "./sleep/sleepHandlers.ts";
import type { updateRoutes } from "./updateRoutes.ts";
import { variableFormHandlers } from "./variableHandlers.ts";
import type { versionForms } from "./versionRoutes.ts";
import { toDetail, toItem, toVersion } from "./wire.ts";
import { workloadFormHandlers, workloadHandlers, workloadPreviews } from "./workloads/workloadHandlers.ts";

const updateHandlers: Handlers<typeof updateRoutes> = {
  updateTestEnvironment: async ({ params, query, body, caller }) => {
    const name = { projectKey: query.projectKey, envKey: params.envName, production: false };
    await updateEnvironment(name, toUpdate(body), caller);
    return success;
  },
  updateProductionEnvironment: async ({ params, query, body, caller }) => {
    const name = { projectKey: query.projectKey, envKey: params.envName, production: true };
    await updateEnvironment(name, { ...toUpdate(body), alias: body.env_name }, caller);
    return success;
  },
};

const updatePreviews: Previews<typeof updateRoutes> = {
  updateTestEnvironment: ({ params, query, body }) => {
    const name = { projectKey: query.projectKey, envKey: params.envName, production: false };
    return previewEnvironmentUpdate(name, { registryId: body.registry_id || undefined });
  },
  updateProductionEnvironment: ({ params, query, body }) => {
    const name = { projectKey: query.projectKey, envKey: params.envName, production: true };
    return previewEnvironmentUpdate(name, { registryId: body.registry_id || undefined });
  },
};

function toUpdate(body: { registry_id?: string | undefined; adopt_managers?: string[] | undefined }) {
  return { registryId: body.registry_id || undefined, adoptManagers: body.adopt_managers };
}

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
  const text = await readStoredText(manifest.text);
  return mayReadSecrets(caller, name) ? text : maskedManifest(text);
}

/**
 * The environments of one kind that the caller may see (contract P 4.1, I 4.7): none is an empty list, never 403.
 * @throws ApiError 404 for an unknown project, to a system administrator only (decisions 1.1)
 */
async function visibleEnvironments(
  projectKey: string,
  production: boolean,
  caller: Caller,
): Promise<EnvironmentSummary[]> {
  const [{ summaries, grants }, project] = await Promise.all([
    withCopies(projectKey, caller),
    caller.grants.systemAdmin ? findProject(projectKey) : undefined,
  ]);
  if (caller.grants.systemAdmin && (project === undefined || project.deleting)) throw notFound(`project ${projectKey}`);
  return summaries.filter(
    (summary) => summary.production === production && mayReadEnvironment({ ...caller, grants }, projectKey, summary),
  );
}

/** With the copies that collaboration modes promise the caller, which this look makes. */
async function withCopies(
  projectKey: string,
  caller: Caller,
): Promise<{ summaries: EnvironmentSummary[]; grants: Caller["grants"] }> {
  const summaries = await listEnvironments(projectKey);
  const names = summaries.map(({ envKey }) => envKey);
  const grants = await createAwaitedCopies(environmentCopies, projectKey, caller, names);
  if (grants === undefined) return { summaries, grants: caller.grants };
  return { summaries: await listEnvironments(projectKey), grants };
}

function versionFormHandlers(production: boolean): Handlers<ReturnType<typeof versionForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    listVersions: async ({ params, query }) => {
      const versions = await serviceVersions(at(query.projectKey, params.envName), params.serviceName);
      return versions.map(toVersion);
    },
    diffVersions: ({ params, query }) =>
      diffVersions(at(query.projectKey, params.envName), params.serviceName, params.a, params.b),
    rollbackService: async ({ params, query, caller }) => {
      const name = at(query.projectKey, params.envName);
      await rollbackService(name, params.serviceName, params.revision, { replicas: query.replicas ?? false }, caller);
      return success;
    },
  };
}
