import { ClusterUnknown, describeClusterError, openCluster } from "../clusters/openCluster.ts";
import { reportClusterUse } from "../clusters/reportClusterStatus.ts";
import { mapBounded } from "../common/mapBounded.ts";
import { ClusterNotFound, NamespaceTerminating } from "../kube/client/errors.ts";
import { RegistryLoginFailed } from "../registries/registryLogin.ts";
import { log } from "../settings/log.ts";
import { references } from "../store/keys.ts";
import { type EnvironmentReference, referringEnvironments } from "../store/references.ts";
import { findEnvironment } from "./store/environments.ts";
import { writePullSecret } from "./writePullSecret.ts";

const atOnce = 8;

/**
 * Writes the pull secret in the namespace of every environment that uses a registry. One cluster that cannot be used
 * does not stop the others; a namespace that is gone needs none.
 */
export async function refreshPullSecrets(registryId: string): Promise<{ written: number; failed: number }> {
  const environments = await referringEnvironments(references.registry(registryId));
  const outcomes = await mapBounded(environments, atOnce, writeInto);
  const count = (wanted: Outcome): number => outcomes.filter((outcome) => outcome === wanted).length;
  return { written: count("written"), failed: count("failed") };
}

type Outcome = "written" | "notNeeded" | "failed";

async function writeInto({ projectKey, envKey }: EnvironmentReference): Promise<Outcome> {
  const environment = await findEnvironment(projectKey, envKey);
  if (environment === undefined) return "notNeeded";
  try {
    const { record, client } = await openCluster(environment.clusterId);
    await reportClusterUse(record, () => writePullSecret(client, environment));
    return "written";
  } catch (error) {
    if ([ClusterUnknown, ClusterNotFound, NamespaceTerminating].some((type) => error instanceof type))
      return "notNeeded";
    const reason = error instanceof RegistryLoginFailed ? error.message : describeClusterError(error);
    if (reason === undefined) throw error;
    log.warn("pull secret not written", { projectKey, envKey, clusterId: environment.clusterId, reason });
    return "failed";
  }
}
