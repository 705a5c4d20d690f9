import { isDeepStrictEqual } from "node:util";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import type { EnvironmentGlobal } from "../../manifest/variables/environmentVariables.ts";
import { checkVariable, normaliseVariable, type ServiceVariable } from "../../manifest/variables/serviceVariable.ts";
import { findGlobalVariables, findProject } from "../../projects/store/projects.ts";
import { forces } from "../apply/forces.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import type { Asking } from "../plan/boundsOf.ts";
import type { PlanWarning, RenderedPlan } from "../plan/planServices.ts";
import { replanServices, storeSetting } from "../plan/replanServices.ts";
import { previewPlans } from "../preview/previewPlans.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { WholeEnvironment } from "../store/environments.ts";
import { startServicesChange } from "./changeServices.ts";
import type { Actor } from "./createEnvironment.ts";
import { requireUpdatable } from "./requireUpdatable.ts";

/**
 * Replaces the global variables of an environment (contract P 8). Services that take a changed one are rendered again at
 * the revision and with the images that they have, and applied in the background.
 * @throws ApiError 404 unknown environment; 6076 wrong state, unknown key, wrong value, or a key left out that is in use
 */
export async function setEnvironmentVariables(
  name: EnvironmentName,
  sent: readonly SentGlobal[],
  actor: Actor,
): Promise<PlanWarning[]> {
  const decide = async ({ changed, plans, warnings }: Decision) => {
    if (plans.length === 0) await storeSetting(changed, "globalVariables", actor);
    else await startServicesChange("update", changed, plans, actor);
    return [...warnings, ...plans.flatMap((plan) => plan.warnings)];
  };
  return (await deciding(name, sent, actor, decide)) ?? [];
}

/** What replacing them would apply. @throws ApiError as `setEnvironmentVariables` */
export async function previewEnvironmentVariables(
  name: EnvironmentName,
  sent: readonly SentGlobal[],
  by: Asking,
): Promise<ObjectPreview[]> {
  const preview = async ({ changed: { environment }, plans }: Decision) =>
    previewPlans(environment, plans, forces({ kind: "update", adoptManagers: environment.adoptManagers ?? [] }));
  return (await deciding(name, sent, by, preview)) ?? [];
}

export interface SentGlobal {
  key: string;
  value: unknown;
  /** Charts that take it as `global.<key>`; what is left out stays. Services of YAML say themselves what they take. */
  relatedServices?: readonly string[] | undefined;
}

interface Decision {
  /** The environment with the variables that it will have. */
  changed: WholeEnvironment;
  /** The services that take a changed one, rendered. */
  plans: RenderedPlan[];
  /** Of the services that take one and stay as they are. */
  warnings: PlanWarning[];
}

/** Calls `work` unless the variables are what they are already. */
async function deciding<T>(
  name: EnvironmentName,
  sent: readonly SentGlobal[],
  by: Asking,
  work: (decision: Decision) => Promise<T>,
): Promise<T | undefined> {
  const whole = await requireEnvironment(name);
  const stored = whole.environment.globalVariables;
  return failingWith(6076, async () => {
    requireUpdatable(whole.environment);
    const [definitions, project] = await Promise.all([
      findGlobalVariables(name.projectKey),
      findProject(name.projectKey),
    ]);
    const isHelm = project?.projectType === "helm";
    if (isHelm) requirePresent(whole, sent);
    const given = isHelm ? sent : sent.map(({ key, value }) => ({ key, value }));
    const wanted = replaceGlobals(stored, given, name.production ? definitions.production : definitions.test);
    if (typeof wanted === "string") throw new EnvironmentProblem(wanted);
    if (isDeepStrictEqual(wanted, stored)) return undefined;
    const changed = { ...whole, environment: { ...whole.environment, globalVariables: wanted } };
    return work({ changed, ...(await replanServices(changed, affected(whole, wanted), by)) });
  });
}

function requirePresent({ environment, services }: WholeEnvironment, sent: readonly SentGlobal[]): void {
  const present = new Set(services.map(({ name }) => name));
  const problems = sent.flatMap(({ key, relatedServices = [] }) =>
    relatedServices
      .filter((service) => !present.has(service))
      .map((service) => `${key} names service ${service}, which is not in environment ${environment.envKey}`),
  );
  if (problems.length > 0) throw new EnvironmentProblem(`related_services: ${problems.join("; ")}`);
}

/**
 * Services that take a variable whose value is another one now, or that take one more or less. A draft gets them when it
 * is deployed.
 */
function affected({ environment, services }: WholeEnvironment, wanted: readonly EnvironmentGlobal[]) {
  const before = new Map(environment.globalVariables.map((variable) => [variable.key, variable]));
  const names = wanted.flatMap(({ key, value, relatedServices }) => {
    const { value: old, relatedServices: took = [] } = before.get(key) ?? {};
    if (!isDeepStrictEqual(old, value)) return [...took, ...relatedServices];
    return [
      ...took.filter((name) => !relatedServices.includes(name)),
      ...relatedServices.filter((name) => !took.includes(name)),
    ];
  });
  return services.filter(({ name, release }) => names.includes(name) && release?.draft !== true);
}

/**
 * The global variables of an environment after a caller sent a new list (contract P 8): only values come from the caller,
 * what is stored of a variable stays, and a new one is as the project defines it. Which services take it is kept as well,
 * unless the caller may say so.
 * @returns the list, or what is wrong with the sent one
 */
function replaceGlobals(
  stored: readonly EnvironmentGlobal[],
  sent: readonly { key: string; value: unknown; relatedServices?: readonly string[] | undefined }[],
  definitions: readonly ServiceVariable[],
): EnvironmentGlobal[] | string {
  const kept = new Set(sent.map(({ key }) => key));
  const inUse = stored.filter(({ key, relatedServices }) => !kept.has(key) && relatedServices.length > 0);
  if (inUse.length > 0) {
    const uses = inUse.map(({ key, relatedServices }) => `${key} (used by ${relatedServices.join(", ")})`);
    return `global variables in use cannot be removed: ${uses.join("; ")}`;
  }
  const variables: EnvironmentGlobal[] = [];
  for (const { key, value, relatedServices } of sent) {
    const base = stored.find((candidate) => candidate.key === key) ?? newGlobal(key, definitions);
    if (base === undefined) return `global variables not match the definition: ${key} is not defined on the project`;
    const variable = { ...base, value };
    const problem = checkVariable(variable);
    if (problem !== undefined) return problem;
    variables.push({ ...normaliseVariable(variable), relatedServices: [...(relatedServices ?? base.relatedServices)] });
  }
  return variables;
}

function newGlobal(key: string, definitions: readonly ServiceVariable[]): EnvironmentGlobal | undefined {
  const definition = definitions.find((candidate) => candidate.key === key);
  return definition && { ...definition, relatedServices: [] };
}
