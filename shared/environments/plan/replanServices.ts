import { mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { findServices } from "../../projects/services/store/services.ts";
import { planTargetOf } from "../change/changeServices.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { EnvironmentProblem } from "../failures.ts";
import {
  changeEnvironment,
  type EnvironmentRecord,
  type EnvironmentService,
  type WholeEnvironment,
} from "../store/environments.ts";
import type { Asking } from "./boundsOf.ts";
import { type PlanWarning, planServices, type RenderedPlan } from "./planServices.ts";
import { standingDefinitions } from "./standingDefinitions.ts";

/**
 * What services become by other settings of their environment: rendered again at the revisions and with the images that
 * they have. Those that a rollback took back stay as they are, and a warning says so.
 */
export async function replanServices(
  whole: WholeEnvironment,
  services: readonly EnvironmentService[],
  by: Asking,
): Promise<{ plans: RenderedPlan[]; warnings: PlanWarning[] }> {
  const held = await notUpdatedContainers(whole.environment, services);
  const moving = services.filter((service) => !held.includes(service));
  return { plans: await planMoving(whole, moving, by), warnings: held.map(heldWarning) };
}

/** Services that a rollback took back and whose definition has no newer revision since. */
async function notUpdatedContainers(
  { projectKey, production }: EnvironmentRecord,
  services: readonly EnvironmentService[],
): Promise<EnvironmentService[]> {
  const back = services.filter(({ rolledBack }) => rolledBack !== undefined);
  if (back.length === 0) return [];
  const kind = production ? "production" : "test";
  const definitions = await findServices(
    projectKey,
    kind,
    back.map((service) => service.name),
  );
  return back.filter(({ name, rolledBack }) => (definitions.get(name)?.revision ?? 0) <= (rolledBack?.newest ?? 0));
}

function heldWarning({ name, rolledBack }: EnvironmentService): PlanWarning {
  const message = `service ${name} stays at version ${rolledBack?.revision}, to which it was rolled back; update it by name to give it the new values`;
  return { code: "rolled_back", message, line: 0 };
}

async function planMoving(
  whole: WholeEnvironment,
  services: readonly EnvironmentService[],
  by: Asking,
): Promise<RenderedPlan[]> {
  if (services.length === 0) return [];
  const definitions = await standingDefinitions(whole.environment, services);
  const target = { ...(await planTargetOf(whole.environment, by)), definitions };
  const requests = services.map((service) => ({ name: service.name, variables: [] }));
  const current = new Map(services.map((service) => [service.name, service]));
  return planServices(target, requests, current);
}

/**
 * Stores a setting of an environment that changes nothing in the cluster.
 * @throws EnvironmentProblem when another change was faster
 */
export async function storeSetting(
  { environment }: WholeEnvironment,
  name: "globalVariables" | "defaultValues",
  actor: Actor,
): Promise<void> {
  const set = { [name]: environment[name], updatedBy: actor.name };
  try {
    await table().write(changeEnvironment(environment, set, mustHaveVersion(environment.version)));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throw new EnvironmentProblem("another change of the environment began at the same moment; read it and try again");
  }
}
