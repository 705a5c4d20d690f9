import { bringsPods, isBuiltIn } from "../deploy/workloadKinds.ts";
import type { AppliedState, EnvironmentService } from "../store/environments.ts";

/** Workloads and custom objects of what was applied: what a service's status is derived from. */
export function workloadsOf({ refs }: AppliedState): EnvironmentService["workloads"] {
  const counting = refs.filter((ref) => bringsPods(ref) || !isBuiltIn(ref));
  return counting.map(({ apiVersion, kind, name, expires }) => ({
    apiVersion,
    kind,
    name,
    ...(expires && { expires }),
  }));
}
