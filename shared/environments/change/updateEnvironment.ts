import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../base/store/tableClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { type ObjectPreview, objectPreview } from "../../kube/preview/objectPreview.ts";
import { scheduleRegistryRefresh } from "../../packaging/registries/scheduleRegistryRefresh.ts";
import { findRegistry, refreshDue } from "../../packaging/registries/store/registries.ts";
import { pullSecretOf, writePullSecret } from "../apply/writePullSecret.ts";
import { EnvironmentProblem, failingWith, reasonOf } from "../failures.ts";
import { type EnvironmentName, environmentMissing } from "../requireEnvironment.ts";
import { changeEnvironment, type EnvironmentRecord, findEnvironment, moveToRegistry } from "../store/environments.ts";
import type { Actor } from "./createEnvironment.ts";

export interface EnvironmentUpdate {
  registryId?: string | undefined;
  alias?: string | undefined;
  /** Managers whose fields every forced apply makes ours, beside those of `kubectl apply`. */
  adoptManagers?: readonly string[] | undefined;
}

const maxTries = 5;

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
        if (!(error instanceof ConditionFailed) || tries === maxTries) throw error;
      }
    }
  });
}

/** What the update would change in the cluster: the pull secret. @throws ApiError as `updateEnvironment` */
export function previewEnvironmentUpdate(
  name: EnvironmentName,
  { registryId }: EnvironmentUpdate,
): Promise<ObjectPreview[]> {
  return failingWith(6076, async () => {
    const { clusterId, namespace } = await requireChangeable(name);
    if (registryId === undefined) return [];
    await requireKnown(registryId);
    const [{ client }, secret] = await Promise.all([openCluster(clusterId), pullSecretOf({ namespace, registryId })]);
    const { object, created } = await client.apply(secret, { force: true, dryRun: true });
    return [objectPreview("", created ? undefined : await client.get(refOf(object)), object)];
  });
}

async function requireChangeable(name: EnvironmentName): Promise<Item<EnvironmentRecord>> {
  const environment = await findEnvironment(name.projectKey, name.envKey);
  if (environment === undefined || environment.production !== name.production) throw environmentMissing(name);
  if (environment.status === "deleting") throw new EnvironmentProblem("environment is being deleted");
  return environment;
}

async function requireKnown(registryId: string): Promise<void> {
  if ((await findRegistry(registryId)) === undefined)
    throw new EnvironmentProblem(`registry ${registryId} does not exist`);
}

async function updateOnce(name: EnvironmentName, update: EnvironmentUpdate, actor: Actor) {
  const { registryId, alias, adoptManagers } = update;
  const environment = await requireChangeable(name);
  const set = { ...(alias !== undefined && { alias }), ...(adoptManagers !== undefined && { adoptManagers }) };
  if (registryId !== undefined) await move(environment, { registryId, updatedBy: actor.name, ...set });
  else if (Object.keys(set).length > 0)
    await table().write(
      changeEnvironment(environment, { ...set, updatedBy: actor.name }, mustHaveVersion(environment.version)),
    );
}

async function move(
  environment: Item<EnvironmentRecord>,
  set: Pick<EnvironmentRecord, "registryId" | "updatedBy"> &
    Partial<Pick<EnvironmentRecord, "alias" | "adoptManagers">>,
): Promise<void> {
  const { registryId } = set;
  await requireKnown(registryId);
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
