import { EnvironmentProblem } from "../../../environments/failures.ts";
import type { Rollout } from "../../../environments/store/rollouts.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { replicasOf } from "./findTarget.ts";
import { isStable } from "./istioStep.ts";

/**
 * A change by others would be overwritten, or is not in what was tried.
 * @throws EnvironmentProblem unless the workload is as the rollout left it
 */
export function requireUnchanged(live: LiveObject, rollout: Rollout): void {
  const { kind, metadata } = live;
  if (metadata.uid === rollout.uid && isAsLeft(live, rollout)) return;
  throw new EnvironmentProblem(
    `${kind} "${metadata.name}" was changed since it was deployed beside (generation ${rollout.generation}, now ${metadata.generation}); it keeps the traffic, run the workflow again`,
  );
}

/**
 * A step of a gray release changes the number of pods, the first one by Istio a label: one generation, if that was done yet.
 */
function isAsLeft(live: LiveObject, { generation, gray, istio }: Rollout): boolean {
  if (istio !== undefined) return live.metadata.generation === (isStable(live) ? generation : generation - 1);
  if (gray === undefined) return live.metadata.generation === generation;
  const { kept, keptBefore } = gray;
  const steps = kept === keptBefore ? 0 : 1;
  const [now, replicas] = [live.metadata.generation, replicasOf(live)];
  return (now === generation && replicas === kept) || (now === generation - steps && replicas === keptBefore);
}
