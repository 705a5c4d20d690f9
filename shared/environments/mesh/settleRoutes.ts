import { table } from "../../base/store/table.ts";
import { reasonOf } from "../failures.ts";
import { type CurrentChange, type EnvironmentRecord, findEnvironment } from "../store/environments.ts";
import { setJoined } from "../store/subEnvironments.ts";
import { syncRoutes } from "./syncRoutes.ts";

/**
 * Leads calls by what a change has made of a base or of a sub-environment, which is joined to its base by its first
 * change (contract P 9.4). Nothing for environments that have nothing to do with routing.
 * @returns why the routes could not be set; undefined when they are
 * @throws ConditionFailed when a newer change took a new sub-environment over
 */
export async function settleRoutes(change: CurrentChange): Promise<string | undefined> {
  const { projectKey, envKey } = change;
  const environment = await findEnvironment(projectKey, envKey);
  if (environment === undefined) return undefined;
  if (environment.baseEnv !== undefined && environment.joined !== true) await table().write(setJoined(change));
  return settle(environment);
}

/**
 * The same after a job deployed into an existing environment.
 * @returns why the routes could not be set; undefined when they are
 */
export async function settleRoutesOf({
  projectKey,
  envKey,
}: Pick<EnvironmentRecord, "projectKey" | "envKey">): Promise<string | undefined> {
  const environment = await findEnvironment(projectKey, envKey);
  return environment && settle(environment);
}

async function settle(environment: EnvironmentRecord): Promise<string | undefined> {
  const { projectKey, baseEnv, share } = environment;
  const base = baseEnv === undefined ? share && environment : await findEnvironment(projectKey, baseEnv);
  if (base === undefined) return undefined;
  try {
    await syncRoutes(base);
    return undefined;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return `routes of base environment ${base.envKey}: ${reason}`;
  }
}
