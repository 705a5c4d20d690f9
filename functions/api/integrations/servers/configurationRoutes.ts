import * as z from "zod";
import { address, optionalLine, secretLine } from "../../../../shared/http/fields.ts";
import { recordRoutes } from "../../../../shared/http/recordRoutes.ts";
import { isObject, madeRecord, plainName } from "../../../../shared/http/schemas.ts";
import { configurationTypes } from "../../../../shared/integrations/store/configurationServers.ts";
import { forProjects } from "../forProjects.ts";

/** Of Nacos `user_name` and `password`, of Apollo `token` and `user`. */
const authConfig = z.object({
  user_name: optionalLine(255).default(""),
  password: secretLine().default(""),
  token: secretLine().default(""),
  user: optionalLine(255)
    .default("")
    .meta({ description: "Of Apollo: in whose name configurations are changed and released; empty: apollo" }),
});

const fields = z.object({
  type: z.enum(configurationTypes, `must be one of ${configurationTypes.join(", ")}`),
  system_identity: plainName(),
  server_address: address("server_address", ["https", "http"]),
  auth_config: authConfig.default({ user_name: "", password: "", token: "", user: "" }),
  projects: forProjects,
});

export const newConfigurationServer = fields.superRefine(
  (body, context) => {
    const problem = credentialProblem(body);
    if (problem !== undefined) context.addIssue({ code: "custom", ...problem });
  },
  { when: isObject },
);

interface Sent {
  type?: unknown;
  auth_config?: { user_name?: unknown; password?: unknown; token?: unknown };
}

/** A Nacos need not have a login; Apollo's interface is closed without a token. */
function credentialProblem({ type, auth_config: auth = {} }: Sent): { path: string[]; message: string } | undefined {
  if (type === "apollo" && !auth.token) return { path: ["auth_config", "token"], message: "token cannot be empty" };
  if (type === "nacos" && auth.user_name && !auth.password)
    return { path: ["auth_config", "password"], message: "password cannot be empty" };
  return undefined;
}

export const configurationServer = z
  .object({
    ...{ id: z.string(), type: z.string(), system_identity: z.string(), server_address: z.string() },
    auth_config: z.object({ user_name: z.string(), user: z.string() }),
    projects: z.array(z.string()),
  })
  .meta({ id: "ConfigurationServer" });

const routes = recordRoutes(
  {
    path: "/api/aslan/system/configuration",
    idForm: "hex",
    tag: "Configuration servers",
    function: "Configuration Server",
    noun: "a configuration server",
    nouns: "configuration servers",
    nameField: "system_identity",
  },
  {
    added: newConfigurationServer,
    // Secrets stay when they are absent or empty.
    changed: fields,
    listed: z.array(configurationServer),
    shown: configurationServer,
    made: madeRecord,
  },
);

export const configurationRoutes = {
  listConfigurationServers: routes.list,
  addConfigurationServer: routes.add,
  getConfigurationServer: routes.read,
  updateConfigurationServer: routes.change,
  deleteConfigurationServer: routes.remove,
};
