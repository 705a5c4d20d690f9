import { enableReconciler } from "../clients/schedules/reconcilerSchedule.ts";
import { openCluster } from "../clusters/openCluster.ts";
import { log } from "../log.ts";
import { scheduleRegistryRefresh } from "../registries/scheduleRegistryRefresh.ts";
import { changeEnvironment, type EnvironmentRecord, findEnvironment, moveToRegistry } from "../store/environments.ts";
import { findRegistry, refreshDue } from "../store/registries.ts";
import { ConditionFailed, type Item } from "../store/table.ts";
import { table } from "../store/theTable.ts";
import { mustHaveVersion } from "../store/writes.ts";
import type { Actor } from "./createEnvironment.ts";
import { EnvironmentProblem, failingWith, reasonOf } from "./failures.ts";
import { type EnvironmentName, environmentMissing } from "./requireEnvironment.ts";
import { writePullSecret } from "./writePullSecret.ts";

export interface EnvironmentUpdate {
  registryId?: string | undefined;
  alias?: string | undefined;
}

const mostTries = 5;

/**
 * Changes the registry and the alias of an environment, whatever is under way in it (contract P 4.5, 4.6); what is left
 * out stays. The pull secret follows: now, or as soon as the cluster answers again. Running workloads are not restarted.
 * @throws ApiError 404 unknown environment; 6076 unknown registry
 */
export function updateEnvironment(name: EnvironmentName, update: EnvironmentUpdate, actor: Actor): Promise<void> {
  return failingWith(6076, async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await updateOnce(name, update, actor);
      } catch (error) {
        if (!(error instanceof ConditionFailed) || tries === mostTries) throw error;
      }
    }
  });
}

async function updateOnce(name: EnvironmentName, { registryId, alias }: EnvironmentUpdate, actor: Actor) {
  const environment = await findEnvironment(name.projectKey, name.envKey);
  if (environment === undefined || environment.production !== name.production) throw environmentMissing(name);
  if (environment.status === "deleting") throw new EnvironmentProblem("environment is being deleted");
  const renamed = alias !== undefined && { alias };
  if (registryId !== undefined) await move(environment, { registryId, updatedBy: actor.name, ...renamed });
  else if (renamed)
    await table().write(
      changeEnvironment(environment, { ...renamed, updatedBy: actor.name }, mustHaveVersion(environment.version)),
    );
}

async function move(
  environment: Item<EnvironmentRecord>,
  set: Pick<EnvironmentRecord, "registryId" | "updatedBy"> & { alias?: string },
): Promise<void> {
  const { registryId } = set;
  if ((await findRegistry(registryId)) === undefined)
    throw new EnvironmentProblem(`registry ${registryId} does not exist`);
  await enableReconciler();
  await table().write(...moveToRegistry(environment, set), refreshDue(registryId));
  try {
    const { client } = await openCluster(environment.clusterId);
    await writePullSecret(client, { namespace: environment.namespace, registryId });
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    log.warn("pull secret not written yet", { registryId, internal: reasonOf(error) });
  }
  await scheduleRegistryRefresh(registryId);
}
