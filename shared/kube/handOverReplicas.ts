import { at } from "../manifest/workloads.ts";
import type { CallOptions, ClusterClient, LiveObject } from "./client/ClusterClient.ts";
import { refOf } from "./client/objectRef.ts";
import { fieldManager } from "./marks.ts";

/**
 * Keeps the replicas of a workload that an autoscaler takes over: a field that its only manager stops applying falls
 * back to its default, so another manager holds the live number until the autoscaler writes its own.
 */
export async function handOverReplicas(client: ClusterClient, live: LiveObject, call: CallOptions): Promise<void> {
  const ours = live.metadata.managedFields?.some(
    ({ manager, operation, fieldsV1 }) =>
      manager === fieldManager && operation === "Apply" && at(fieldsV1, ["f:spec", "f:replicas"]) !== undefined,
  );
  if (ours !== true) return;
  const ref = refOf(live);
  const replicas = at(await client.get(ref, call), ["spec", "replicas"]);
  if (typeof replicas !== "number") return;
  const { apiVersion, kind, name, namespace } = ref;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  await client.apply({ apiVersion, kind, metadata, spec: { replicas } }, { fieldManager: "slipway-replicas", ...call });
}
