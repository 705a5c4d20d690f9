import type * as z from "zod";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../../shared/http/recordHandlers.ts";
import { configurationServers } from "../../../../shared/integrations/store/configurationServers.ts";
import { requireSecret } from "../requireSecret.ts";
import type { configurationRoutes, newConfigurationServer } from "./configurationRoutes.ts";

const sort = { noun: "configuration server", nameField: "system_identity", records: configurationServers };

type Wanted = z.output<typeof newConfigurationServer>;

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, { type, system_identity, server_address, auth_config, projects }: Wanted, before) => {
    const user = type === "nacos" ? auth_config.user_name : auth_config.user;
    const shown = { type, systemIdentity: system_identity, serverAddress: server_address, user, projects };
    const field = type === "nacos" ? "password" : "token";
    const isNeeded = type === "apollo" || user !== "";
    if (isNeeded) requireSecret(field, `auth_config.${field}`, auth_config[field], before);
    return { id, name: system_identity, shown, kept: {}, secretFields: isNeeded ? [field] : [] };
  },
  secretsOf: ({ type, auth_config: { user_name, password, token } }): Record<string, string> => {
    if (type === "apollo") return { token };
    return user_name === "" ? {} : { password };
  },
  answerOf: ({ id, shown: { type, systemIdentity, serverAddress, user, projects } }) => ({
    ...{ id, type, system_identity: systemIdentity, server_address: serverAddress, projects: [...projects] },
    auth_config: { user_name: type === "nacos" ? user : "", user: type === "apollo" ? user : "" },
  }),
});

export const configurationHandlers: Handlers<typeof configurationRoutes> = {
  listConfigurationServers: list,
  addConfigurationServer: add,
  getConfigurationServer: read,
  updateConfigurationServer: change,
  deleteConfigurationServer: remove,
};
