import { mapBounded } from "../../base/common/mapBounded.ts";
import { log } from "../../base/settings/log.ts";
import { references } from "../../base/store/keys/keys.ts";
import { type EnvironmentReference, referringEnvironments } from "../../base/store/references.ts";
import { ClusterNotFound, NamespaceTerminating } from "../../kube/client/errors.ts";
import { ClusterUnknown, describeClusterError, openCluster } from "../../kube/clusters/openCluster.ts";
import { reportClusterUse } from "../../kube/clusters/reportClusterStatus.ts";
import { RegistryLoginFailed } from "../../packaging/registries/registryLogin.ts";
import { findEnvironment } from "../store/environments.ts";
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
