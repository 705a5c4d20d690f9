import { bringsPods, isBuiltIn } from "../../kube/live/workloadKinds.ts";
import type { AppliedState, EnvironmentService } from "../store/environments.ts";

/**
 * What a service keeps of what was applied: workloads and custom objects, of which its status is derived, and what it has
 * outside of namespaces.
 */
export function standingObjects({ refs }: AppliedState): Pick<EnvironmentService, "workloads" | "clusterObjects"> {
  const workloads = refs
    .filter((ref) => bringsPods(ref) || !isBuiltIn(ref))
    .map(({ apiVersion, kind, name, expires }) => ({ apiVersion, kind, name, ...(expires && { expires }) }));
  const clusterObjects = refs
    .filter(({ namespace }) => namespace === undefined)
    .map(({ apiVersion, kind, name }) => ({ apiVersion, kind, name }));
  return { workloads, ...(clusterObjects.length > 0 && { clusterObjects }) };
}
