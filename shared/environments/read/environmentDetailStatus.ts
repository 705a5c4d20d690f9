import type { LiveObject } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { conditionsOf } from "../../kube/live/conditions.ts";
import { bringsPods, isBuiltIn, type ManifestWorkload } from "../../kube/live/workloadKinds.ts";
import { type Readiness, workloadReady } from "../../kube/live/workloadReady.ts";
import { objectKey } from "../../kube/objectKey.ts";
import type { EnvironmentStatus } from "../rules/status.ts";

/** The words of the detail (contract P 14.2). */
export type EnvironmentDetailStatus =
  | "creating"
  | "updating"
  | "deleting"
  | "succeeded"
  | "error"
  | "running"
  | "unstable"
  | "sleeping"
  | "unknown";

/**
 * Derives the detail's word from the stored one and the live workloads.
 * @param workloads readiness of every workload of the manifests; undefined when the cluster could not be read
 */
export function environmentDetailStatus(
  stored: EnvironmentStatus,
  workloads: readonly Readiness[] | undefined,
): EnvironmentDetailStatus {
  if (stored === "failed") return "error";
  if (stored !== "success") return stored;
  if (workloads === undefined) return "unknown";
  if (workloads.length === 0) return "succeeded";
  return workloads.every(({ state }) => state === "ready") ? "running" : "unstable";
}

/**
 * Readiness of the workloads that manifests name, and of custom objects that report a condition; what does not exist is
 * not ready, but for a job that was removed after its end.
 */
export function manifestReadiness(manifest: readonly ManifestWorkload[], live: readonly LiveObject[]): Readiness[] {
  const found = new Map(live.map((object) => [objectKey(refOf(object)), object]));
  return manifest.flatMap((ref): Readiness[] => {
    const object = found.get(objectKey(ref));
    if (!bringsPods(ref) && isBuiltIn(ref)) return [];
    if (object === undefined)
      return [
        ref.expires === true ? { state: "ready", reason: "" } : { state: "progressing", reason: "does not exist" },
      ];
    return bringsPods(ref) || conditionsOf(object).length > 0 ? [workloadReady(object)] : [];
  });
}
