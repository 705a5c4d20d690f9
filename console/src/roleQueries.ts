import { taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { slipway } from "./session.ts";

/** Namespace of the roles of the whole installation. */
export const everywhere = "*";

/** Roles that may do everything by their name alone. */
const allowsAll = (namespace: string, name: string): boolean =>
  name === (namespace === everywhere ? "admin" : "project-admin");

/** The roles of a project or of the installation with what each may do, and all that a role may be given. */
export const rolesQuery = (namespace: string) =>
  queryOptions({
    queryKey: ["roles", namespace],
    queryFn: async () => {
      const params = { query: { namespace } };
      const [list, definitions] = await Promise.all([
        taken(slipway().GET("/openapi/policy/roles", { params })),
        taken(slipway().GET("/openapi/policy/resource-actions", { params: { query: { projectName: namespace } } })),
      ]);
      const roles = await Promise.all(
        list.map(async ({ name, type, desc }): Promise<Role> => {
          const path = { name };
          const { rules } = await taken(slipway().GET("/openapi/policy/roles/{name}", { params: { path, ...params } }));
          const verbs = new Set(rules.flatMap((rule) => rule.verbs));
          return { name, desc, isCustom: type === "custom", isAll: allowsAll(namespace, name), verbs, rules };
        }),
      );
      return { roles, resources: resourcesOf(namespace === everywhere ? [] : definitions, roles) };
    },
    refetchOnWindowFocus: false,
  });

export interface Role {
  name: string;
  desc: string;
  /** Made by people, who may change it. */
  isCustom: boolean;
  /** Whether it may do everything, by its name alone. */
  isAll: boolean;
  verbs: ReadonlySet<string>;
  rules: { resource: string; verbs: string[] }[];
}

export interface Resource {
  resource: string;
  alias: string;
  rules: { action: string; alias: string }[];
}

/** What roles may be given, and what those that are there hold besides. */
function resourcesOf(definitions: readonly Resource[], roles: readonly Role[]): Resource[] {
  const found = new Map(definitions.map((one) => [one.resource, { ...one, rules: [...one.rules] }]));
  for (const { resource, verbs } of roles.flatMap(({ rules }) => rules)) {
    const at = found.get(resource) ?? { resource, alias: resource, rules: [] };
    found.set(resource, at);
    const missing = verbs.filter((verb) => !at.rules.some(({ action }) => action === verb));
    at.rules.push(...missing.map((verb) => ({ action: verb, alias: verb })));
  }
  return [...found.values()];
}

/** Gives a role exactly these actions; they hold for everybody who has it at once. */
export function saveRole(namespace: string, { name, desc }: Pick<Role, "name" | "desc">, actions: string[]) {
  const params = { path: { name }, query: { namespace } };
  return taken(slipway().PUT("/openapi/policy/roles/{name}", { params, body: { actions, desc } }));
}

/** A role that may do nothing yet. */
export function createRole(namespace: string, name: string) {
  const params = { query: { namespace } };
  return taken(slipway().POST("/openapi/policy/roles", { params, body: { name, actions: [], desc: "" } }));
}
