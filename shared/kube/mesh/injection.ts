import { mapBounded } from "../../base/common/mapBounded.ts";
import { findNamespace } from "../apply/ensureNamespace.ts";
import { enforceLabel, injectionLabel } from "../apply/marks.ts";
import type { ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import { ClusterNotFound } from "../client/errors.ts";
import { restartWorkload } from "../live/restartWorkload.ts";
import { hasProxy, type MeshPods } from "./proxies.ts";

const revisionLabel = "istio.io/rev";

/** Whether new pods of a namespace get the mesh's proxy; a revision is the user's own choice and stays. */
export function injects(namespace: LiveObject | undefined): "ours" | "revision" | "no" {
  const labels = namespace?.metadata.labels ?? {};
  if ((labels[revisionLabel] ?? "") !== "") return "revision";
  return labels[injectionLabel] === "enabled" ? "ours" : "no";
}

/** Has new pods of a namespace get the mesh's proxy, or get it no more (contract P 9.1, 9.2, decisions 11.14). */
export async function setInjection(client: ClusterClient, name: string, wanted: boolean): Promise<void> {
  const namespace = await findNamespace(client, name);
  const now = injects(namespace);
  if (now === "revision" || (now === "ours") === wanted) return;
  // The proxy's first container changes the pod's network, which only `privileged` allows.
  const labels = { [injectionLabel]: wanted ? "enabled" : null, ...(wanted && { [enforceLabel]: null }) };
  const body = { metadata: { labels } };
  try {
    await client.patch({ apiVersion: "v1", kind: "Namespace", name }, { type: "merge", body });
  } catch (error) {
    if (wanted || !(error instanceof ClusterNotFound)) throw error;
  }
}

/**
 * Replaces the pods that lack the proxy, or still have it, by the annotation that kubectl uses.
 * @param at the annotation's value: the same one again restarts nothing
 * @returns what could not be restarted, in words
 */
export async function restartForProxy(
  client: ClusterClient,
  pods: MeshPods,
  { wanted, at }: { wanted: boolean; at: string },
): Promise<string[]> {
  const stale = [...pods].filter(([, made]) => made.some((pod) => hasProxy(pod) !== wanted)).map(([owner]) => owner);
  const refused = await mapBounded(stale, 16, (workload) => restartWorkload(client, workload, at));
  return refused.filter((problem) => problem !== undefined);
}
