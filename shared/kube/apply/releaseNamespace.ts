import { mapBounded } from "../../base/common/mapBounded.ts";
import type { CallOptions, ClusterClient } from "../client/ClusterClient.ts";
import { ClusterKindUnknown, ClusterNotFound } from "../client/errors.ts";
import { findNamespace } from "./ensureNamespace.ts";
import { madeForAnnotation, pullSecretName } from "./marks.ts";
import { waitForObjects } from "./waitForObjects.ts";

export interface NamespaceRemoval extends CallOptions {
  /** How long to wait until it is gone, in seconds; 0 does not wait. */
  waitSeconds: number;
}

/**
 * Deletes a namespace that the platform made (contract P 17.1 step 4, decisions 5.5). The caller has made sure that no
 * other environment uses it.
 * @returns `kept` for one that the platform did not make, `removing` when it is not gone in time
 */
export async function removeNamespace(
  client: ClusterClient,
  name: string,
  { waitSeconds, ...call }: NamespaceRemoval,
): Promise<"removed" | "removing" | "absent" | "kept"> {
  const found = await findNamespace(client, name, call);
  if (found === undefined) return "absent";
  const { labels, annotations, uid } = found.metadata;
  if (labels?.createdBy !== "koderover" || annotations?.[madeForAnnotation] === undefined) return "kept";
  const kind = { apiVersion: "v1", kind: "Namespace" };
  const removed = await client.remove({ ...kind, name }, { uid, ...call });
  if (removed !== "removing") return removed;
  if (waitSeconds === 0) return "removing";
  const limits = { deadlineSeconds: waitSeconds, signal: call.signal };
  const query = { fieldSelector: `metadata.name=${name}`, metadataOnly: true };
  return (await waitForObjects(client, kind, query, (objects) => !objects.has(uid ?? ""), limits))
    ? "removed"
    : "removing";
}

/**
 * Takes back a namespace that a failed creation made: deleted only when it was made for this environment and holds
 * nothing but what Kubernetes and the platform put into every namespace (decisions 6.1).
 */
export async function removeUnusedNamespace(
  client: ClusterClient,
  name: string,
  environmentId: string,
  call: CallOptions = {},
): Promise<"removed" | "kept"> {
  const found = await findNamespace(client, name, call);
  if (found?.metadata.annotations?.[madeForAnnotation] !== environmentId) return "kept";
  if (!(await isEmpty(client, name, call))) return "kept";
  await client.remove({ apiVersion: "v1", kind: "Namespace", name }, { uid: found.metadata.uid, ...call });
  return "removed";
}

/**
 * Forgets a namespace without touching its content (contract P 17.2): removes the labels and the note that we made it,
 * so that it is never deleted later. A namespace that the platform did not make is left as it is.
 */
export async function releaseNamespace(client: ClusterClient, name: string, call: CallOptions = {}): Promise<void> {
  const found = await findNamespace(client, name, call);
  if (found?.metadata.annotations?.[madeForAnnotation] === undefined) return;
  const body = {
    metadata: { labels: { createdBy: null, "s-product": null }, annotations: { [madeForAnnotation]: null } },
  };
  try {
    await client.patch({ apiVersion: "v1", kind: "Namespace", name }, { type: "merge", body }, call);
  } catch (error) {
    if (!(error instanceof ClusterNotFound)) throw error;
  }
}

/** What users may have put into a namespace; the names are those that every namespace holds. */
const contents: readonly [apiVersion: string, kind: string, ...ignored: string[]][] = [
  ["v1", "Pod"],
  ["v1", "Service"],
  ["v1", "ConfigMap", "kube-root-ca.crt"],
  ["v1", "Secret", pullSecretName],
  ["v1", "ServiceAccount", "default"],
  ["v1", "PersistentVolumeClaim"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["batch/v1", "Job"],
  ["batch/v1", "CronJob"],
  ["networking.k8s.io/v1", "Ingress"],
];

async function isEmpty(client: ClusterClient, namespace: string, call: CallOptions): Promise<boolean> {
  const found = await mapBounded(contents, contents.length, async ([apiVersion, kind, ...ignored]) => {
    try {
      const { items } = await client.list({ apiVersion, kind }, { namespace, metadataOnly: true, ...call });
      return items.some(({ metadata }) => !ignored.includes(metadata.name));
    } catch (error) {
      if (error instanceof ClusterKindUnknown || error instanceof ClusterNotFound) return false;
      throw error;
    }
  });
  return !found.includes(true);
}
