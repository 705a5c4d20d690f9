import { mayReadSecrets } from "../../../../shared/access/identity/rules/mayReadSecrets.ts";
import { deleteConfig, previewConfigDeletion } from "../../../../shared/environments/configs/deleteConfig.ts";
import { readConfig } from "../../../../shared/environments/configs/readConfig.ts";
import { readConfigHistory } from "../../../../shared/environments/configs/readConfigHistory.ts";
import { readConfigs } from "../../../../shared/environments/configs/readConfigs.ts";
import {
  createConfig,
  previewConfigCreation,
  previewConfigUpdate,
  updateConfig,
} from "../../../../shared/environments/configs/saveConfig.ts";
import type { Handlers, Previews } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { maskedTemplate } from "../../../../shared/kube/live/maskedTemplate.ts";
import { maskedObject } from "../../../../shared/kube/live/secretValues.ts";
import type { configForms } from "./configRoutes.ts";
import { toConfigChange, toConfigDetail, toConfigItem, toWantedConfig } from "./configWire.ts";

/** Configuration objects of one kind of environment. */
export function configFormHandlers(production: boolean): Handlers<ReturnType<typeof configForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    createConfig: async ({ params, query, body, caller }) => {
      await createConfig(at(query.projectKey, params.envName), toWantedConfig(body), caller);
      return success;
    },
    listConfigs: async ({ params, query }) => {
      const environment = at(query.projectKey, params.envName);
      return (await readConfigs(environment, query.type)).map((config) => toConfigItem(environment, config));
    },
    config: async ({ params, query, caller }) => {
      const environment = at(query.projectKey, params.envName);
      const { live, ...found } = await readConfig(environment, query.type, params.envCfgName);
      const shown = mayReadSecrets(caller, environment) ? live : maskedObject(live);
      return toConfigDetail(environment, query.type, { live: shown, ...found });
    },
    configHistory: async ({ params, query, caller }) => {
      const environment = at(query.projectKey, params.envName);
      const changes = await readConfigHistory(environment, query.type, params.envCfgName, query);
      const shown = mayReadSecrets(caller, environment)
        ? changes
        : changes.map((change) => ({ ...change, yaml: maskedTemplate(change.yaml) }));
      return shown.map((change) => toConfigChange(query.type, params.envCfgName, change));
    },
    updateConfig: async ({ query, body, caller }) => {
      await updateConfig(at(query.projectKey, body.env_key), toWantedConfig(body), caller);
      return success;
    },
    deleteConfig: async ({ params, query, caller }) => {
      await deleteConfig(at(query.projectKey, params.envName), query.type, params.envCfgName, caller);
      return success;
    },
  };
}

export function configFormPreviews(production: boolean): Previews<ReturnType<typeof configForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    createConfig: ({ params, query, body }) =>
      previewConfigCreation(at(query.projectKey, params.envName), toWantedConfig(body)),
    updateConfig: ({ query, body }) => previewConfigUpdate(at(query.projectKey, body.env_key), toWantedConfig(body)),
    deleteConfig: ({ params, query }) =>
      previewConfigDeletion(at(query.projectKey, params.envName), query.type, params.envCfgName),
  };
}
