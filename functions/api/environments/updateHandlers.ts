import { updateEnvironment } from "../../../shared/environments/updateEnvironment.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import type { updateRoutes } from "./updateRoutes.ts";

export const updateHandlers: Handlers<typeof updateRoutes> = {
  updateTestEnvironment: async ({ params, query, body, caller }) => {
    const name = { projectKey: query.projectKey, envKey: params.envName, production: false };
    await updateEnvironment(name, { registryId: body.registry_id || undefined }, caller);
    return success;
  },
  updateProductionEnvironment: async ({ params, query, body, caller }) => {
    const name = { projectKey: query.projectKey, envKey: params.envName, production: true };
    await updateEnvironment(name, { registryId: body.registry_id || undefined, alias: body.env_name }, caller);
    return success;
  },
};
