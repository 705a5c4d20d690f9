import type { Rollout } from "../../../environments/store/rollouts.ts";
import { releaseLabel } from "../../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../../kube/client/ClusterClient.ts";
import { releaseSubsets } from "../../../kube/mesh/weightedRoutes.ts";
import type { JobRun } from "../runner.ts";
import { deploymentRef, replicasOf, textsAt } from "./findTarget.ts";
import { shareOf } from "./grayStep.ts";
import { type IstioRun, istioRunOf } from "./rolloutRun.ts";

/** What the record says of a release by Istio at its beginning; the label is one generation of the workload. */
export function firstIstioStep(
  { job, percentage }: IstioRun,
  live: LiveObject,
): Required<Pick<Rollout, "istio" | "replicas" | "generation">> {
  const total = replicasOf(live);
  const generation = (live.metadata.generation ?? 0) + (isStable(live) ? 0 : 1);
  return { replicas: shareOf(total, percentage), generation, istio: { job, total, weight: 0 } };
}

/** Whether the workload's own pods can be told from those beside it. */
export function isStable(live: LiveObject): boolean {
  const labels = textsAt(live, ["spec", "template", "metadata", "labels"]);
  return labels[releaseLabel] === releaseSubsets.stable.labels[releaseLabel];
}

/** Labels the workload's own pods, which recreates them; the label stays, so that this happens once. */
export function markStable(client: ClusterClient, live: LiveObject): Promise<LiveObject> | LiveObject {
  if (isStable(live)) return live;
  const { namespace = "", name } = live.metadata;
  const template = { metadata: { labels: releaseSubsets.stable.labels } };
  return client.patch(deploymentRef({ namespace, name }), { type: "merge", body: { spec: { template } } });
}

/** What the detail of a step shows of its progress. */
export function istioShown(run: JobRun, { istio, replicas = 0 }: Pick<Rollout, "istio" | "replicas">) {
  const { targets } = run.spec;
  const total = istio?.total ?? 0;
  const now = istioRunOf(run).weight === 100 ? total : replicas;
  return {
    replicas: now,
    targets: { ...(typeof targets === "object" && targets), current_replica: total, target_replica: now },
  };
}
