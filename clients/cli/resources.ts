import { allPages, type components, environmentDetail, taken } from "@slipway/client";
import { WrongUsage } from "./endings.ts";
import { nearest } from "./nearest.ts";
import { listProjects } from "./projects.ts";
import type { Session } from "./session.ts";
import { type Column, shownTime } from "./terminal/list.ts";
import { shownStatus } from "./terminal/words.ts";

/** Where records are looked for: kinds that belong to a project need it. */
export interface Scope {
  /** @throws WrongUsage when it is not clear */
  project(): Promise<string>;
  production: boolean;
}

/** A kind of record that `get`, `describe` and `delete` know. */
export interface Kind<T = never> {
  plural: string;
  aliases: readonly string[];
  list(session: Session, scope: Scope): Promise<T[]>;
  name(item: T): string;
  columns: readonly Column<T>[];
  /** Everything there is to know of one. */
  read(session: Session, scope: Scope, name: string): Promise<unknown>;
  /** @param isPreview only says what would happen, where the API can tell */
  remove(
    session: Session,
    scope: Scope,
    target: { name: string; isPreview: boolean; objects: boolean },
  ): Promise<unknown>;
}

type Environment = components["schemas"]["EnvironmentItem"];

const inProject = async ({ project }: Scope) => ({ query: { projectKey: await project() } });

function kind<T>(one: Kind<T>): Kind {
  return one as unknown as Kind;
}

const projects = kind({
  ...{ plural: "projects", aliases: ["project", "proj"] },
  list: listProjects,
  name: ({ project_key }) => project_key,
  columns: [
    { heading: "KEY", of: ({ project_key }) => project_key },
    { heading: "NAME", of: ({ project_name }) => project_name },
    { heading: "TYPE", of: ({ deploy_type }) => deploy_type },
    { heading: "DESCRIPTION", of: ({ desc }) => desc, isWide: true },
  ],
  read: ({ slipway }, _, name) =>
    taken(slipway.GET("/openapi/projects/project/detail", { params: { query: { projectKey: name } } })),
  remove: async ({ slipway }, _, { name, isPreview, objects }) =>
    isPreview
      ? undefined
      : taken(
          slipway.DELETE("/openapi/projects/project", {
            params: { query: { projectKey: name, isDelete: objects ? "true" : "false" } },
          }),
        ),
});

const environments = kind<Environment>({
  ...{ plural: "environments", aliases: ["environment", "envs", "env"] },
  list: async ({ slipway }, scope) => {
    const params = await inProject(scope);
    const [tests, production] = await Promise.all([
      taken(slipway.GET("/openapi/environments", { params })),
      taken(slipway.GET("/openapi/environments/production", { params })),
    ]);
    return [...tests, ...production];
  },
  name: ({ env_key }) => env_key,
  columns: [
    { heading: "NAME", of: ({ env_key }) => env_key },
    { heading: "KIND", of: ({ production }) => (production ? "production" : "test") },
    { heading: "STATUS", of: ({ status }) => shownStatus(status) },
    { heading: "NAMESPACE", of: ({ namespace }) => namespace },
    { heading: "CHANGED BY", of: ({ update_by }) => update_by },
    { heading: "CHANGED", of: ({ update_time }) => shownTime(update_time), isWide: true },
    { heading: "CLUSTER", of: ({ cluster_id }) => cluster_id, isWide: true },
  ],
  read: async ({ slipway }, { project, production }, env) =>
    environmentDetail(slipway, { project: await project(), env, production }),
  remove: async ({ slipway }, scope, { name, isPreview, objects }) => {
    const { query } = await inProject(scope);
    const flags = {
      isDelete: objects ? ("true" as const) : ("false" as const),
      ...(isPreview && { dryRun: "true" as const }),
    };
    const params = { path: { envName: name }, query: { ...query, ...flags } };
    return scope.production
      ? taken(slipway.DELETE("/openapi/environments/production/{envName}", { params }))
      : taken(slipway.DELETE("/openapi/environments/{envName}", { params }));
  },
});

const services = kind({
  ...{ plural: "services", aliases: ["service", "svc"] },
  list: async ({ slipway }, scope) => {
    const answer = await taken(
      scope.production
        ? slipway.GET("/openapi/service/yaml/production/services", { params: await inProject(scope) })
        : slipway.GET("/openapi/service/yaml/services", { params: await inProject(scope) }),
    );
    return Array.isArray(answer) ? answer : answer.service;
  },
  name: ({ service_name }) => service_name,
  columns: [
    { heading: "NAME", of: ({ service_name }) => service_name },
    { heading: "TYPE", of: ({ type }) => type },
    { heading: "SOURCE", of: ({ source }) => source, isWide: true },
    { heading: "IMAGES", of: ({ containers }) => containers.map(({ image }) => image).join(", ") },
  ],
  read: async ({ slipway }, scope, serviceName) => {
    const params = { path: { serviceName }, ...(await inProject(scope)) };
    return scope.production
      ? taken(slipway.GET("/openapi/service/yaml/production/{serviceName}", { params }))
      : taken(slipway.GET("/openapi/service/yaml/{serviceName}", { params }));
  },
  remove: async ({ slipway }, scope, { name, isPreview }) => {
    const { query } = await inProject(scope);
    const params = { path: { serviceName: name }, query: { ...query, ...(isPreview && { dryRun: "true" as const }) } };
    return scope.production
      ? taken(slipway.DELETE("/openapi/service/yaml/production/{serviceName}", { params }))
      : taken(slipway.DELETE("/openapi/service/yaml/{serviceName}", { params }));
  },
});

const workflows = kind({
  ...{ plural: "workflows", aliases: ["workflow", "wf"] },
  list: async ({ slipway }, scope) =>
    (await taken(slipway.GET("/openapi/workflows", { params: await inProject(scope) }))).workflows,
  name: ({ workflow_key }) => workflow_key,
  columns: [
    { heading: "KEY", of: ({ workflow_key }) => workflow_key },
    { heading: "NAME", of: ({ workflow_name }) => workflow_name },
    { heading: "CHANGED BY", of: ({ update_by }) => update_by },
    { heading: "CHANGED", of: ({ update_time }) => shownTime(update_time), isWide: true },
  ],
  read: async ({ slipway }, scope, workflowKey) =>
    taken(
      slipway.GET("/openapi/workflows/custom/{workflowKey}/detail", {
        params: { path: { workflowKey }, ...(await inProject(scope)) },
      }),
    ),
  remove: async ({ slipway }, scope, { name, isPreview }) => {
    const { query } = await inProject(scope);
    if (isPreview) return undefined;
    return taken(slipway.DELETE("/openapi/workflows/custom", { params: { query: { ...query, workflowKey: name } } }));
  },
});

const users = kind({
  ...{ plural: "users", aliases: ["user"] },
  list: ({ slipway }) =>
    allPages(async (query) => (await taken(slipway.GET("/openapi/users", { params: { query } }))).users),
  name: ({ account }) => account,
  columns: [
    { heading: "ACCOUNT", of: ({ account }) => account },
    { heading: "NAME", of: ({ name }) => name },
    { heading: "BY", of: ({ identity_type }) => identity_type },
    { heading: "LAST SIGN-IN", of: ({ last_login_time }) => shownTime(last_login_time) },
    { heading: "UID", of: ({ uid }) => uid, isWide: true },
  ],
  read: async (session, _, name) =>
    taken(session.slipway.GET("/openapi/users/{uid}", { params: { path: { uid: await uidOf(session, name) } } })),
  remove: async (session, _, { name, isPreview }) => {
    const uid = await uidOf(session, name);
    return isPreview ? undefined : taken(session.slipway.DELETE("/openapi/users/{uid}", { params: { path: { uid } } }));
  },
});

/** @param account of a user, or a uid @throws WrongUsage when there is none */
export async function uidOf({ slipway }: Session, account: string): Promise<string> {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(account)) return account;
  const { users: found } = await taken(slipway.GET("/openapi/users", { params: { query: { account } } }));
  const user = found.find((one) => one.account === account);
  if (user === undefined) throw new WrongUsage(`there is no user ${account}`);
  return user.uid;
}

const clusters = kind({
  ...{ plural: "clusters", aliases: ["cluster"] },
  list: ({ slipway }) => taken(slipway.GET("/openapi/system/cluster")),
  name: ({ name }) => name,
  columns: [
    { heading: "NAME", of: ({ name }) => name },
    { heading: "STATUS", of: ({ status }) => shownStatus(status) },
    { heading: "KIND", of: ({ production }) => (production ? "production" : "test") },
    { heading: "ID", of: ({ cluster_id }) => cluster_id, isWide: true },
    { heading: "PROBLEM", of: ({ status_message }) => status_message ?? "", isWide: true },
  ],
  read: async (session, _, name) =>
    found(await taken(session.slipway.GET("/openapi/system/cluster")), name, (one) => one.name, "cluster"),
  remove: async ({ slipway }, _, { name, isPreview }) => {
    const { cluster_id } = found(
      await taken(slipway.GET("/openapi/system/cluster")),
      name,
      (one) => one.name,
      "cluster",
    );
    if (isPreview) return undefined;
    return taken(slipway.DELETE("/openapi/system/cluster/{id}", { params: { path: { id: cluster_id } } }));
  },
});

const registries = kind({
  ...{ plural: "registries", aliases: ["registry"] },
  list: ({ slipway }) => taken(slipway.GET("/openapi/system/registry")),
  name: ({ address, namespace }) => [address, namespace].filter(Boolean).join("/"),
  columns: [
    { heading: "ADDRESS", of: ({ address }) => address },
    { heading: "NAMESPACE", of: ({ namespace }) => namespace },
    { heading: "PROVIDER", of: ({ provider }) => provider },
    { heading: "DEFAULT", of: ({ is_default }) => (is_default ? "yes" : "") },
    { heading: "ID", of: ({ registry_id }) => registry_id, isWide: true },
  ],
  read: async ({ slipway }, _, id) =>
    found(await taken(slipway.GET("/openapi/system/registry")), id, (one) => one.registry_id, "registry with the id"),
  remove: async ({ slipway }, _, { name, isPreview }) =>
    isPreview
      ? undefined
      : taken(slipway.DELETE("/api/aslan/system/registry/namespaces/{id}", { params: { path: { id: name } } })),
});

function found<T>(items: readonly T[], name: string, nameOf: (item: T) => string, what: string): T {
  const item = items.find((one) => nameOf(one) === name);
  if (item === undefined)
    throw new WrongUsage(`there is no ${what} ${name}; known are ${items.map(nameOf).join(", ")}`);
  return item;
}

export const kinds: readonly Kind[] = [projects, environments, services, workflows, users, clusters, registries];

/** @param text plural, singular or short @throws WrongUsage with the nearest one */
export function kindNamed(text: string): Kind {
  const one = kinds.find(({ plural, aliases }) => plural === text || aliases.includes(text));
  if (one !== undefined) return one;
  const close = nearest(
    text,
    kinds.flatMap(({ plural, aliases }) => [plural, ...aliases]),
  );
  throw new WrongUsage(
    `there is no kind ${text}${close === undefined ? ";" : `; did you mean ${close}?`} kinds are ${kinds.map(({ plural }) => plural).join(", ")}`,
  );
}
