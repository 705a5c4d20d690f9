import type { Operation } from "./apiDocument.ts";

export interface Choice {
  value: string;
  label: string;
}

/** Where the values of a field come from: a list of the API, and which keys of its records are value and label. */
export interface Source {
  path: string;
  query?: Readonly<Record<string, string>>;
  value: readonly string[];
  label: readonly string[];
}

type Given = Readonly<Record<string, string>>;
type Record_ = Readonly<Record<string, unknown>>;

const projects: Source = {
  path: "/openapi/projects/project",
  value: ["project_key"],
  label: ["project_name", "project_key"],
};
const clusters: Source = { path: "/openapi/system/cluster", value: ["cluster_id"], label: ["name"] };
const registries: Source = {
  path: "/openapi/system/registry",
  value: ["registry_id"],
  label: ["address", "namespace"],
};
const users: Source = { path: "/openapi/users", value: ["uid"], label: ["name", "account"] };
const groups: Source = { path: "/openapi/user-groups", value: ["id", "gid"], label: ["name"] };
const codeHosts: Source = { path: "/api/aslan/system/codehosts", value: ["id"], label: ["alias", "address"] };
const environmentsIn = (project: string, production: boolean): Source => ({
  path: `/openapi/environments${production ? "/production" : ""}`,
  ...{ query: { projectKey: project }, value: ["env_key"], label: ["env_key"] },
});
const servicesIn = (project: string, production: boolean): Source => ({
  path: `/openapi/service/yaml${production ? "/production" : ""}/services`,
  ...{ query: { projectKey: project }, value: ["service_name"], label: ["service_name"] },
});
const workflowsIn = (project: string): Source => ({
  path: "/openapi/workflows",
  ...{ query: { projectKey: project }, value: ["workflow_key"], label: ["workflow_name", "workflow_key"] },
});

/** Fields that name the same thing wherever they are. */
const anywhere: Readonly<Record<string, Source>> = {
  ...{ projectKey: projects, projectName: projects, project_key: projects, project_name: projects },
  ...{ productName: projects, product_name: projects, project: projects, projectNames: projects },
  ...{
    cluster_id: clusters,
    clusterId: clusters,
    clusterID: clusters,
    registry_id: registries,
    registryId: registries,
  },
  ...{ uid: users, user_id: users, manager_id: users, gid: groups, group_id: groups },
  ...{ codehost_id: codeHosts, codehostId: codeHosts, codehostID: codeHosts },
};
/** Fields that name something of the project that is chosen. */
const inProject: Readonly<Record<string, (project: string, production: boolean) => Source>> = {
  ...{ envName: environmentsIn, env_name: environmentsIn, env_key: environmentsIn, base_env: environmentsIn },
  ...{ serviceName: servicesIn, service_name: servicesIn, serviceModule: servicesIn },
  ...{ workflowName: workflowsIn, workflowKey: workflowsIn, workflow_key: workflowsIn, workflow_name: workflowsIn },
};

/** What a new record is called is typed: choices are of those that are there. */
export const newNames: ReadonlySet<string> = new Set([
  ...["createProject.project_key", "createProject.project_name"],
  ...["createTestEnvironment.env_key", "createProductionEnvironment.env_key"],
  ...["createTestService.service_name", "createProductionService.service_name"],
]);

/**
 * Where the values of a field of an operation are chosen from; undefined where they are typed.
 * @param given what is filled in already
 */
export function sourceOf(
  operations: readonly Operation[],
  operation: Operation,
  field: { name: string; in: "path" | "query" | "body" },
  given: Given,
): Source | undefined {
  const { name } = field;
  if (newNames.has(`${operation.id}.${name}`)) return undefined;
  const project = given.projectKey ?? given.projectName ?? "";
  const isProduction = operation.path.includes("/production");
  const own = anywhere[name] ?? (project === "" ? undefined : inProject[name]?.(project, isProduction));
  return own ?? (field.in === "path" ? collectionOf(operations, operation, name, given) : undefined);
}

/** The list above a path parameter: `/x/{id}` is chosen from what `/x` lists, where that can be asked for. */
function collectionOf(
  operations: readonly Operation[],
  operation: Operation,
  name: string,
  given: Given,
): Source | undefined {
  const above = operation.path.split(`/{${name}}`)[0] ?? "";
  const list = operations.find(({ method, path }) => method === "GET" && path === above);
  if (list === undefined) return undefined;
  const known = list.parameters.filter((parameter) => given[parameter.name] !== undefined);
  if (list.parameters.some((parameter) => parameter.required && given[parameter.name] === undefined)) return undefined;
  const query = known.filter(({ in: place }) => place === "query").map((parameter) => parameter.name);
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return {
    path: filled(above, given),
    query: Object.fromEntries(query.map((key) => [key, given[key] ?? ""])),
    value: [name, snake, ...(/id$/i.test(name) ? ["id"] : ["name"])],
    label: ["alias", "name", "label", "repo_name", "server_address"],
  };
}

/** A path with its parameters. */
export function filled(path: string, given: Given): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? ""));
}

/** The records of an answer: it is a list, or holds one. */
export function recordsOf(answer: unknown): Record_[] | undefined {
  const isRecord = (one: unknown): one is Record_ => typeof one === "object" && one !== null && !Array.isArray(one);
  if (Array.isArray(answer)) return answer.every(isRecord) ? answer : undefined;
  if (!isRecord(answer)) return undefined;
  const lists = Object.values(answer).filter((one): one is Record_[] => Array.isArray(one) && one.every(isRecord));
  return lists.length === 1 ? lists[0] : undefined;
}

/** The choice that a record is; none where it has no value. */
export function choiceOf(record: Record_, { value, label }: Source): Choice[] {
  const [found] = textsOf(record, value);
  if (found === undefined) return [];
  const said = [...new Set(textsOf(record, label))].join(" · ");
  return [{ value: found, label: said || found }];
}

function textsOf(record: Record_, keys: readonly string[]): string[] {
  return keys
    .map((key) => record[key])
    .filter((one) => typeof one === "string" || typeof one === "number")
    .map(String)
    .filter((text) => text !== "");
}
