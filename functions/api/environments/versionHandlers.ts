import { rollbackService } from "../../../shared/environments/rollbackService.ts";
import { diffVersions, serviceVersions } from "../../../shared/environments/serviceVersions.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import type { versionForms } from "./versionRoutes.ts";
import { toVersion } from "./wire.ts";

export function versionFormHandlers(production: boolean): Handlers<ReturnType<typeof versionForms>> {
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
