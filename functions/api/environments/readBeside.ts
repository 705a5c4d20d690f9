import type { EnvironmentService } from "../../../shared/environments/store/environments.ts";
import { besideName, type RolloutMode } from "../../../shared/environments/store/rollouts.ts";
import { rolloutLabel } from "../../../shared/kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../../shared/kube/client/ClusterClient.ts";
import type { Scale } from "../../../shared/kube/live/instanceDetail.ts";
import { kindKey } from "../../../shared/kube/objectKey.ts";

/** A Deployment that a rollout started beside the one of a service. */
interface Beside {
  mode: RolloutMode;
  name: string;
  workload: string;
}

/** What rollouts started beside the workloads of a service, as objects with their pods. */
export interface BesideObjects {
  standing: Beside[];
  objects: LiveObject[];
}

/** The tags of a workload and of the Deployment beside it (decisions 12.2). */
const tags: Readonly<Record<RolloutMode, { workload: string; beside: string }>> = {
  "blue-green": { workload: "green", beside: "blue" },
  canary: { workload: "origin", beside: "canary" },
  gray: { workload: "origin", beside: "gray" },
  istio: { workload: "origin", beside: "istio" },
};
const modes = Object.keys(tags) as RolloutMode[];

/** One request, and one more while a rollout has started something beside them. @throws ClusterError */
export async function readBeside(
  client: ClusterClient,
  namespace: string,
  { workloads }: EnvironmentService,
): Promise<BesideObjects> {
  const deployments = workloads.filter((workload) => kindKey(workload) === "Deployment.apps");
  if (deployments.length === 0) return { standing: [], objects: [] };
  const query = { namespace, labelSelector: rolloutLabel };
  const { items } = await client.list({ apiVersion: "apps/v1", kind: "Deployment" }, query);
  const names = new Set(items.map(({ metadata }) => metadata.name));
  const standing = deployments
    .flatMap(({ name }) => modes.map((mode) => ({ mode, name: besideName(name, { mode }), workload: name })))
    .filter(({ name }) => names.has(name));
  if (standing.length === 0) return { standing: [], objects: [] };
  const own = items.filter(({ metadata }) => standing.some(({ name }) => name === metadata.name));
  const pods = await client.list({ apiVersion: "v1", kind: "Pod" }, query);
  return { standing, objects: [...own, ...pods.items] };
}

/** The fields that tell what a workload is in a rollout; none where it is in none. */
export function rolloutFields({ name, type }: Scale, standing: readonly Beside[]): Partial<Scale> {
  const found = standing.find((one) => type === "Deployment" && (one.name === name || one.workload === name));
  if (found === undefined) return {};
  const { mode } = found;
  const tag = found.name === name ? tags[mode].beside : tags[mode].workload;
  return {
    ...{ vendor_release_type: mode, vendor_release_tag: tag },
    ...{ zadigx_release_type: mode, zadigx_release_tag: tag },
  };
}
