import type { LivePod } from "../liveTypes.ts";
import type { InstanceProblem } from "./instanceProblem.ts";

const maxRestarts = 5;
const unschedulableSeconds = 60;
const refusedSeconds = 5;
const neverPulled = new Set(["InvalidImageName", "ErrImageNeverPull"]);
/** The registry may answer again by itself; nothing else mends by waiting. */
const registryIsAway = /does not answer|registry's name is unknown/;
const refusedForGood = /quota|violates PodSecurity|is forbidden: (?:minimum|maximum|\[)/;

/**
 * Whether waiting does not help against a problem: an image that is not there, a quota, no node for a minute, a container
 * that crashed five times.
 * @param pod that has the problem; undefined for a workload's
 * @param now Unix seconds
 */
export function isHopeless(problem: InstanceProblem, pod: LivePod | undefined, now: number): boolean {
  const age = now - problem.since;
  if (pod === undefined)
    return problem.reason === "FailedCreate" && age >= refusedSeconds && refusedForGood.test(problem.message);
  if (neverPulled.has(problem.reason)) return true;
  if (problem.reason === "ImagePullBackOff") return !registryIsAway.test(problem.message);
  if (problem.reason === "Unschedulable") return age >= unschedulableSeconds;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return statuses.some(({ restartCount = 0, ready }) => restartCount >= maxRestarts && ready !== true);
}
