import type * as z from "zod";
import {
  type SentGlobal,
  setEnvironmentVariables,
} from "../../../shared/environments/change/setEnvironmentVariables.ts";
import { environmentMissing } from "../../../shared/environments/requireEnvironment.ts";
import { findEnvironment } from "../../../shared/environments/store/environments.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { successWith } from "../../../shared/http/schemas.ts";
import type { newGlobals, variableForms } from "./variableRoutes.ts";
import { toGlobalVariables } from "./wire.ts";

/** Global variables of one kind of environment. */
export function variableFormHandlers(production: boolean): Handlers<ReturnType<typeof variableForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    variables: async ({ params, query }) => {
      const environment = await findEnvironment(query.projectKey, params.envName, { consistent: false });
      if (environment?.production !== production) throw environmentMissing(at(query.projectKey, params.envName));
      return toGlobalVariables(environment.globalVariables);
    },
    setVariables: async ({ params, query, body, caller }) => {
      const name = at(query.projectKey, params.envName);
      return successWith(await setEnvironmentVariables(name, toGlobals(body), caller));
    },
  };
}

export function toGlobals({ global_variables }: z.output<typeof newGlobals>): SentGlobal[] {
  return global_variables.map(({ key, value, related_services }) => ({
    key,
    value,
    relatedServices: related_services,
  }));
}
