import { previewCreation, previewDeletionOf } from "../../../shared/environments/preview/previewEnvironment.ts";
import { previewServiceRemoval, previewServices } from "../../../shared/environments/preview/previewServices.ts";
import { previewSleep } from "../../../shared/environments/preview/previewSleep.ts";
import { previewRollback } from "../../../shared/environments/rollbackService.ts";
import { previewEnvironmentVariables } from "../../../shared/environments/setEnvironmentVariables.ts";
import type { Previews } from "../../../shared/http/createApi.ts";
import { configFormPreviews } from "./configHandlers.ts";
import { toProductionEnvironment, toTestEnvironment } from "./create.ts";
import type { productionRoutes, testRoutes } from "./routes.ts";
import { toServiceRequests } from "./serviceRequests.ts";
import { toGlobals } from "./variableHandlers.ts";
import { workloadFormPreviews } from "./workloadHandlers.ts";

/** `dryRun=true` on what both kinds have. */
export function previewForms(production: boolean): Omit<Previews<typeof testRoutes>, "create"> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    ...configFormPreviews(production),
    ...workloadFormPreviews(production),
    setVariables: ({ params, query, body, caller }) =>
      previewEnvironmentVariables(at(query.projectKey, params.envName), toGlobals(body), caller),
    rollbackService: ({ params, query, caller }) => {
      const name = at(query.projectKey, params.envName);
      const options = { replicas: query.replicas ?? false };
      return previewRollback(name, params.serviceName, params.revision, options, caller);
    },
    remove: ({ params, query }) =>
      previewDeletionOf(at(query.projectKey, params.envName), {
        deleteObjects: query.isDelete,
        deleteCrds: query.delete_crds,
      }),
    sleep: ({ params, query }) => previewSleep("sleep", at(query.projectKey, params.envName)),
    wake: ({ params, query }) => previewSleep("wake", at(query.projectKey, params.envName)),
    addServices: ({ query, body, caller }) =>
      previewServices("add", at(query.projectKey, body.env_key), toServiceRequests(body.service_list), caller, body),
    updateServices: ({ query, body, caller }) =>
      previewServices("update", at(query.projectKey, body.env_key), toServiceRequests(body.service_list), caller, {
        reset: body.reset,
        deleteCrds: body.delete_crds,
      }),
    updateServicesByPath: ({ params, query, body, caller }) =>
      previewServices("update", at(query.projectKey, params.envName), toServiceRequests(body.service_list), caller, {
        reset: body.reset,
        deleteCrds: body.delete_crds,
      }),
    removeServices: ({ query, body }) => {
      const environment = at(query.projectKey, body?.env_key ?? query.env_name ?? "");
      const names = body?.service_names ?? query.service_name ?? [];
      const deleteCrds = body?.delete_crds ?? query.delete_crds;
      return previewServiceRemoval(environment, names, {
        keepObjects: body?.not_delete_resource ?? false,
        deleteCrds,
      });
    },
  };
}

export const previewOfCreation: {
  test: Previews<typeof testRoutes>["create"];
  production: Previews<typeof productionRoutes>["create"];
} = {
  test: async ({ query, body, caller }) => previewCreation(await toTestEnvironment(query.projectKey, body), caller),
  production: async ({ query, body, caller }) =>
    previewCreation(await toProductionEnvironment(query.projectKey, body), caller),
};
