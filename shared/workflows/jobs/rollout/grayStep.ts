import type { GrayStep, Rollout } from "../../../environments/store/rollouts.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { replicasOf } from "./findTarget.ts";
import type { GrayRun } from "./rolloutRun.ts";

/** Whole pods of a share in per cent, rounded up. */
export function shareOf(total: number, percentage: number): number {
  return Math.ceil((total * percentage) / 100);
}

/** What the record says of a step; the workload still has the pods of the step before. */
export function grayStep(
  { job, scale }: Pick<GrayRun, "job" | "scale">,
  live: LiveObject,
  total: number,
): Required<Pick<Rollout, "gray" | "replicas" | "generation">> {
  const replicas = shareOf(total, scale);
  const [kept, keptBefore] = [total - replicas, replicasOf(live)];
  const generation = (live.metadata.generation ?? 0) + (kept === keptBefore ? 0 : 1);
  return { replicas, generation, gray: { job, scale, total, kept, keptBefore } };
}

/** What the detail of a step shows of its progress. */
export function stepShown({ replicas = 0, gray }: Pick<Rollout, "gray" | "replicas">): Record<string, unknown> {
  return { total_replica: gray?.total ?? 0, gray_replica: replicas };
}

/** As `stepShown`, of the last step: every pod is new. */
export function wholly({ total }: GrayStep): Record<string, unknown> {
  return { total_replica: total, gray_replica: total };
}
