import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import type { ApplyRequest } from "../../kube/apply/applyObjects.ts";
import { findNamespace } from "../../kube/apply/ensureNamespace.ts";
import { environmentLabel, serviceLabel } from "../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { isApplied } from "../../kube/live/readLive.ts";
import { readWhole } from "../../kube/live/readWhole.ts";
import { objectKey } from "../../kube/objectKey.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { previewObjects } from "../../kube/preview/previewObjects.ts";
import { workloadKey } from "../../manifest/replicas.ts";
import { checkPlans } from "../apply/checkOnCluster.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { EnvironmentProblem } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import type { RenderedPlan } from "../plan/planServices.ts";
import { nothingApplied } from "../plan/recordPlannedServices.ts";
import { type AppliedState, type EnvironmentRecord, findManifest } from "../store/environments.ts";
import { previewLeaving } from "./previewLeaving.ts";

type Target = Pick<
  EnvironmentRecord,
  "environmentId" | "envKey" | "projectKey" | "clusterId" | "namespace" | "production"
>;

/**
 * What applying planned services would do to an environment's cluster, from the API server's own dry run (decisions
 * 6.7): for every change that ends in new manifests. Nothing is written, neither there nor here.
 * @throws EnvironmentProblem naming everything that the server refuses; ApiError 6045; ClusterError
 */
export async function previewPlans(
  target: Target,
  plans: readonly RenderedPlan[],
  { deleteCrds, ...options }: Pick<ApplyRequest, "force" | "takes"> & { deleteCrds?: boolean | undefined },
): Promise<ObjectPreview[]> {
  const { client } = await openCluster(target.clusterId);
  const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
  const [namespace, prepared, applied] = await Promise.all([
    findNamespace(client, target.namespace, call),
    checkPlans(client, target, plans, call),
    appliedBefore(target, plans),
  ]);
  const refs = [...[...prepared.values()].flat().map(({ ref }) => ref), ...[...applied.values()].flat()];
  const { objects } = await readWhole(client, refs, target, call);
  const live = new Map(objects.map((object) => [objectKey(refOf(object)), object]));
  const shown = await Promise.all(
    plans.map(({ plan: { name }, notes }) =>
      previewService(
        client,
        target,
        { name, applied: applied.get(name) ?? [], deleteCrds, notes },
        {
          objects: prepared.get(name) ?? [],
          live,
          namespaceStands: namespace !== undefined,
          ...options,
          ...call,
        },
      ),
    ),
  );
  const refused = shown.flatMap((one) => one.refused);
  if (refused.length > 0) throw new EnvironmentProblem(refused.join("; "));
  return shown.flatMap(({ previews }) => previews);
}

async function previewService(
  client: ClusterClient,
  target: Target,
  {
    name: serviceName,
    applied,
    deleteCrds,
    notes = {},
  }: {
    name: string;
    applied: AppliedState["refs"];
    deleteCrds?: boolean | undefined;
    notes?: RenderedPlan["notes"];
  },
  request: Omit<Parameters<typeof previewObjects>[1], "serviceName">,
): Promise<{ previews: ObjectPreview[]; refused: string[] }> {
  const { previews, refused } = await previewObjects(client, { serviceName, ...request });
  const wanted = new Set(request.objects.map(({ key }) => key));
  const pruned = [...request.live.values()].filter(
    (object) => isOf(object, target.environmentId, serviceName) && !wanted.has(objectKey(refOf(object))),
  );
  const unlisted = applied.filter(({ namespace }) => namespace === undefined);
  const { signal, deadlineSeconds } = request;
  const gone = await previewLeaving(client, clusterScopedOwnersOf(target, serviceName, deleteCrds), {
    serviceName,
    listed: pruned,
    unlisted: unlisted.filter((ref) => !wanted.has(objectKey(ref))),
    ...(signal && { signal }),
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
  });
  const named = refused.map((message) => `service ${serviceName}: ${message}`);
  const noted = previews.map((one) => {
    const note = notes[workloadKey(one)];
    return note === undefined ? one : { ...one, note };
  });
  return { previews: [...noted, ...gone], refused: named };
}

function isOf(object: LiveObject, environmentId: string, serviceName: string): boolean {
  const { labels, deletionTimestamp } = object.metadata;
  const ours = labels?.[environmentLabel] === environmentId && labels?.[serviceLabel] === serviceName;
  return ours && deletionTimestamp === undefined && isApplied(object);
}

/** What the services have in the cluster now, with kinds that a new manifest may no longer name. */
async function appliedBefore(
  { projectKey, envKey }: Target,
  plans: readonly RenderedPlan[],
): Promise<Map<string, AppliedState["refs"]>> {
  const states = plans.map(async ({ plan }) => {
    const manifest = await findManifest(projectKey, envKey, plan.name);
    const { refs }: AppliedState =
      manifest === undefined ? nothingApplied : JSON.parse(await readStoredText(manifest.applied));
    return [plan.name, refs] as const;
  });
  return new Map(await Promise.all(states));
}
