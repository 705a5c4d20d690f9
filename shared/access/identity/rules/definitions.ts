import { addedActions, projectResources, systemActions, systemNamespace } from "./actions.ts";

type Resource = keyof typeof projectResources;

const resourceAliases: Readonly<Record<Resource, string>> = {
  Workflow: "Workflow",
  Environment: "Test environment",
  ProductionEnvironment: "Production environment",
  Service: "Test service",
  ProductionService: "Production service",
  Build: "Build",
  Test: "Test",
  Scan: "Code scan",
  Delivery: "Version management",
};

/** Verbs whose alias does not follow from their first word. */
const ownAliases: Readonly<Record<string, string>> = {
  debug_workflow: "Debug",
  manage_environment: "Manage service instances",
  edit_production_environment: "Manage service instances",
  debug_pod: "Debug service",
  production_debug_pod: "Debug service",
  ssh_pm: "Host login",
};
const aliasesByFirstWord: Readonly<Record<string, string>> = {
  get: "View",
  create: "Create",
  edit: "Edit",
  delete: "Delete",
  run: "Execute",
  config: "Configure",
};

export interface PermissionDefinition {
  resource: string;
  alias: string;
  rules: { action: string; alias: string }[];
}

/**
 * What a role of a project can hold, in the order of contract I 6.1. `pm` is a free project: it has no production and no
 * pods, but hosts; any other type has no hosts; without a type nothing is left out.
 */
export function permissionDefinitions(envType: string | undefined): PermissionDefinition[] {
  const isFree = envType === "pm";
  const resources = Object.entries(projectResources).filter(([resource]) => !isFree || !isProduction(resource));
  return resources.map(([resource, actions]) => {
    const hosts = resource === "Environment" && (isFree || envType === undefined) ? ["ssh_pm"] : [];
    const shown = [...actions.filter((action) => !isFree || action !== "debug_pod"), ...hosts];
    const alias = isResource(resource) ? resourceAliases[resource] : resource;
    return { resource, alias, rules: shown.map((action) => ({ action, alias: aliasOf(action) })) };
  });
}

function aliasOf(action: string): string {
  return ownAliases[action] ?? aliasesByFirstWord[action.split("_")[0] ?? ""] ?? action;
}

function isProduction(resource: string): boolean {
  return resource === "ProductionEnvironment" || resource === "ProductionService";
}

function isResource(name: string): name is Resource {
  return Object.hasOwn(projectResources, name);
}

const systemResources: Readonly<Record<string, readonly string[]>> = {
  ReleasePlan: systemActions.filter((action) => action.includes("release_plan") || action === "override_freeze"),
  ArtifactManagement: ["release_get", "delivery_get"],
  LogOperation: ["get_log_operation"],
};

/** Where the verbs belong that are accepted and not advertised (contract I 4.6). */
function resourceOfAdded(action: string): Resource {
  if (action.endsWith("workflow")) return "Workflow";
  const isProductions = action.includes("production") || action === "override_freeze";
  return isProductions ? "ProductionEnvironment" : "Environment";
}

const projectRules = Object.entries(projectResources).map(([resource, actions]): [string, readonly string[]] => [
  resource,
  [...actions, ...addedActions.filter((action) => resourceOfAdded(action) === resource)],
]);

/** Every verb that a role of this namespace may hold, by resource. */
function verbsOf(namespace: string): [string, readonly string[]][] {
  return namespace === systemNamespace ? Object.entries(systemResources) : projectRules;
}

/** Those that no role of this namespace can hold: misspelt, or of the other kind of namespace. */
export function unknownVerbs(namespace: string, verbs: readonly string[]): string[] {
  const known = new Set(verbsOf(namespace).flatMap(([, actions]) => actions));
  return verbs.filter((verb) => !known.has(verb));
}

/** A role's verbs by resource (contract I 6.2): resources in the order of I 6.1, verbs alphabetically. */
export function rulesOf(namespace: string, verbs: readonly string[]): { resource: string; verbs: string[] }[] {
  return verbsOf(namespace).flatMap(([resource, actions]) => {
    const held = actions.filter((action) => verbs.includes(action)).sort();
    return held.length === 0 ? [] : [{ resource, verbs: held }];
  });
}
