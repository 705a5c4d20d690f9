import { ClusterNotFound, NamespaceTerminating } from "../clients/kubernetes/errors.ts";
import { ClusterUnknown, describeClusterError, openCluster } from "../clusters/openCluster.ts";
import { reportClusterUse } from "../clusters/reportClusterStatus.ts";
import { mapBounded } from "../deploy/mapBounded.ts";
import { applyPullSecret, pullSecret } from "../deploy/pullSecret.ts";
import { log } from "../log.ts";
import { findEnvironment } from "../store/environments.ts";
import { references } from "../store/keys.ts";
import { type EnvironmentReference, referringEnvironments } from "../store/references.ts";
import { defaultRegistryId, findRegistry } from "../store/registries.ts";
import { type RegistryLogin, RegistryLoginFailed, registryLogin } from "./registryLogin.ts";

const atOnce = 8;

/**
 * Writes the pull secret of a registry in the namespace of every environment that uses it, by its id or as the default.
 * One cluster that cannot be used does not stop the others; a namespace that is gone needs none.
 */
export async function refreshPullSecrets(registryId: string): Promise<{ written: number; failed: number }> {
  const registry = await findRegistry(registryId);
  if (registry === undefined) return { written: 0, failed: 0 };
  const isDefault = (await defaultRegistryId()) === registryId;
  const users = await Promise.all(
    [registryId, ...(isDefault ? ["default"] : [])].map((id) => referringEnvironments(references.registry(id))),
  );
  const environments = users.flat();
  if (environments.length === 0) return { written: 0, failed: 0 };
  const login = await loginOrNothing(registry);
  if (login === undefined) return { written: 0, failed: environments.length };
  const outcomes = await mapBounded(environments, atOnce, (environment) => writeInto(environment, login));
  const count = (wanted: Outcome): number => outcomes.filter((outcome) => outcome === wanted).length;
  return { written: count("written"), failed: count("failed") };
}

type Outcome = "written" | "notNeeded" | "failed";

async function writeInto({ projectKey, envKey }: EnvironmentReference, login: RegistryLogin): Promise<Outcome> {
  const environment = await findEnvironment(projectKey, envKey);
  if (environment === undefined) return "notNeeded";
  const { clusterId, namespace } = environment;
  try {
    const { record, client } = await openCluster(clusterId);
    const credentials = login.username === "" && login.password === "" ? undefined : login;
    await reportClusterUse(record, () => applyPullSecret(client, pullSecret(namespace, login.server, credentials)));
    return "written";
  } catch (error) {
    if ([ClusterUnknown, ClusterNotFound, NamespaceTerminating].some((type) => error instanceof type))
      return "notNeeded";
    const reason = describeClusterError(error);
    if (reason === undefined) throw error;
    log.warn("pull secret not written", { projectKey, envKey, clusterId, reason });
    return "failed";
  }
}

async function loginOrNothing(registry: Parameters<typeof registryLogin>[0]): Promise<RegistryLogin | undefined> {
  try {
    return await registryLogin(registry);
  } catch (error) {
    if (!(error instanceof RegistryLoginFailed)) throw error;
    log.warn("registry gives no login", { registryId: registry.registryId, reason: error.message });
    return undefined;
  }
}
