import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { leavesWith } from "../../kube/apply/leavesWith.ts";
import {
  type ApplyScope,
  type ObjectProblem,
  type PreparedObject,
  prepareObjects,
} from "../../kube/apply/prepareObjects.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { type LiveIndex, readLiveOf } from "../../kube/live/readLive.ts";
import { readClusterFacts } from "../../kube/readClusterFacts.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import type { DeployPlace } from "../apply/applyPlan.ts";
import { applyScope } from "../apply/applyScope.ts";
import type { ServicePlan } from "../store/changes.ts";
import type { AppliedState } from "../store/environments.ts";

/** A planned service as it is sent. */
export interface PreparedPlan {
  scope: ApplyScope;
  /** As the plan's text has them. */
  manifest: KubeObject[];
  objects: PreparedObject[];
  problems: ObjectProblem[];
}

/** What several plans have to know of their cluster. */
export interface ReadTogether {
  plans: ReadonlyMap<string, PreparedPlan>;
  live: LiveIndex;
}

type PlanText = Pick<ServicePlan, "name" | "text">;

/** Makes the objects of plans ready for their cluster. @throws ClusterError when it cannot be asked */
export async function preparePlans(
  place: DeployPlace,
  plans: readonly PlanText[],
): Promise<ReadonlyMap<string, PreparedPlan>> {
  const { client } = await openCluster(place.clusterId);
  const manifests = await Promise.all(
    plans.map(async ({ name, text }) => ({ name, manifest: parseManifest(await readStoredText(text)) })),
  );
  const everything = manifests.flatMap(({ manifest }) => manifest);
  const names = plans.map(({ name }) => name);
  const facts = await readClusterFacts(client, everything, place.namespace, {
    leaves: leavesWith(place, names, everything),
  });
  return new Map(
    manifests.map(({ name, manifest }) => {
      const scope = applyScope(place, name);
      return [name, { scope, manifest, ...prepareObjects(manifest, scope, facts) }];
    }),
  );
}

/**
 * Reads for several plans at once what each of them would read alone: a LIST or two a kind for all of them.
 * @throws ClusterError when the cluster cannot be read
 */
export async function readTogether(
  place: DeployPlace,
  applied: readonly { plan: PlanText; before: AppliedState }[],
  force: boolean,
): Promise<ReadTogether> {
  const { environmentId, namespace } = place;
  const plans = await preparePlans(
    place,
    applied.map(({ plan }) => plan),
  );
  const { client } = await openCluster(place.clusterId);
  const live = await readLiveOf(client, {
    ...{ force, environmentId, namespace, services: [...plans.keys()] },
    objects: [...plans.values()].flatMap(({ objects }) => objects),
    previous: applied.flatMap(({ before }) => before.refs),
  });
  return { plans, live };
}
