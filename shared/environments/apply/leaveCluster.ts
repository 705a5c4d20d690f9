import { log } from "../../base/settings/log.ts";
import { findNamespace } from "../../kube/apply/ensureNamespace.ts";
import { removePullSecret } from "../../kube/apply/pullSecret.ts";
import { releaseNamespace, removeNamespace } from "../../kube/apply/releaseNamespace.ts";
import { removeObjects } from "../../kube/apply/removeObjects.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { namespaceSentence } from "../../kube/namespaceSentence.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { EnvironmentProblem, reasonOf } from "../failures.ts";
import type { Change } from "../store/changes.ts";
import { environmentsOnCluster } from "../store/environments.ts";

/** Kinds of configuration objects, and what a superseded apply may have left; looked for by label. */
export const sweptKinds = [
  { apiVersion: "v1", kind: "ConfigMap" },
  { apiVersion: "v1", kind: "Secret" },
  { apiVersion: "v1", kind: "Service" },
  { apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "apps/v1", kind: "DaemonSet" },
  { apiVersion: "batch/v1", kind: "Job" },
  { apiVersion: "batch/v1", kind: "CronJob" },
];

const waitSeconds = 240;

/**
 * The last look at the cluster of an environment that is deleted (contract P 17). With its objects: what is left of them
 * and the namespace, when the platform made it and no other environment uses it. Without: the namespace is only let go,
 * and a cluster that does not answer does not keep the record alive. It is let go also when others use it, for deleting
 * the last of them would take along what this one leaves.
 */
export async function leaveCluster(change: Change): Promise<void> {
  const sharing = await environmentsOnCluster(change.clusterId, change.namespace);
  const shared = sharing.some(({ environmentId }) => environmentId !== change.environmentId);
  if (change.deleteObjects) {
    const { client } = await openCluster(change.clusterId);
    await removeEverything(client, change, shared);
    return;
  }
  try {
    const { client } = await openCluster(change.clusterId);
    await releaseNamespace(client, change.namespace);
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    log.warn("namespace not released", { changeId: change.changeId, internal: reasonOf(error) });
  }
}

async function removeEverything(client: ClusterClient, change: Change, shared: boolean): Promise<void> {
  const { environmentId, namespace } = change;
  const result = await removeObjects(client, {
    environmentId,
    namespace,
    kinds: sweptKinds,
    claims: clusterScopedOwnersOf(change),
    waitSeconds,
  });
  const [failed] = result.failed;
  if (failed !== undefined) throw new EnvironmentProblem(failed.failure.message);
  if (shared) return;
  const removed = await removeNamespace(client, namespace, { waitSeconds });
  if (removed === "kept") await removePullSecret(client, namespace);
  if (removed !== "removing") return;
  const reason = namespaceSentence(namespace, await findNamespace(client, namespace));
  throw new EnvironmentProblem(reason ?? `namespace ${namespace} is still being deleted`);
}
