import { previewEnvironmentUpdate, updateEnvironment } from "../../../shared/environments/updateEnvironment.ts";
import type { Handlers, Previews } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import type { updateRoutes } from "./updateRoutes.ts";

export const updateHandlers: Handlers<typeof updateRoutes> = {
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

export const updatePreviews: Previews<typeof updateRoutes> = {
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
