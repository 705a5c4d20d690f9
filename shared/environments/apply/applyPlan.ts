import { type ApplyRequest, applyObjects } from "../../kube/apply/applyObjects.ts";
import type { ObjectResult } from "../../kube/apply/applyResult.ts";
import type { Bounds } from "../../kube/bounds.ts";
import type { ObjectRef } from "../../kube/client/ClusterClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { extractContainers } from "../../manifest/containers.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { at } from "../../manifest/workloads.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { preparePlans, type ReadTogether } from "../read/readTogether.ts";
import { ownersOn } from "../resolveOwner.ts";
import type { ServicePlan } from "../store/changes.ts";
import type { AppliedRef, AppliedState, EnvironmentRecord, RefusedObject } from "../store/environments.ts";

export type DeployPlace = Pick<
  EnvironmentRecord,
  "environmentId" | "envKey" | "projectKey" | "namespace" | "production" | "clusterId"
> & {
  /** What may be applied; absent for what was admitted before. */
  bounds?: Bounds | undefined;
};

export interface AppliedPlan {
  /** What is in the cluster now. */
  state: AppliedState;
  /** Why objects were refused; empty when none was. */
  error: string;
  refused: RefusedObject[];
  /** Containers of refused workloads: they run as they did before, or not at all. */
  notUpdatedContainers: string[];
  results: ObjectResult[];
  /** Whether the cluster did not serve a kind. */
  missingKinds: boolean;
}

interface ApplyPlanOptions extends Pick<ApplyRequest, "force" | "takes"> {
  deleteCrds?: boolean | undefined;
  /** What was read of the cluster for this plan and others; it is read here otherwise. */
  read?: ReadTogether | undefined;
}

/**
 * Brings the objects of a planned service into the cluster, as they were rendered when it was planned (decisions 5.6).
 * @param before what the last apply of the service left
 * @throws ClusterError when the cluster cannot be read at all
 */
export async function applyPlan(
  place: DeployPlace,
  plan: Pick<ServicePlan, "name" | "text">,
  before: AppliedState,
  { deleteCrds, read, ...options }: ApplyPlanOptions,
): Promise<AppliedPlan> {
  const { client } = await openCluster(place.clusterId);
  const prepared = (read?.plans ?? (await preparePlans(place, [plan]))).get(plan.name);
  if (prepared === undefined) throw new Error(`plan ${plan.name} was not prepared`);
  const { manifest } = prepared;
  const { results, marks } = await applyObjects(client, {
    objects: prepared.objects,
    scope: prepared.scope,
    previous: before.refs,
    recorded: before.marks,
    live: read?.live,
    resolveOwner: ownersOn(place.clusterId),
    claims: clusterScopedOwnersOf(place, plan.name, deleteCrds),
    ...options,
  });
  const refused = [
    ...prepared.problems.map(({ ref, message }) => refusal(ref, message)),
    ...results.flatMap(({ ref, failure }) => (failure === undefined ? [] : [refusal(ref, failure.message)])),
  ];
  const wereRefused = manifest.filter(({ kind, metadata }) =>
    refused.some((one) => one.kind === kind && one.name === metadata.name),
  );
  return {
    state: { refs: standingRefs(results, before).map((ref) => marked(ref, manifest)), marks },
    error: refused.map(({ message }) => message).join("; "),
    refused,
    notUpdatedContainers: extractContainers(wereRefused).map(({ name }) => name),
    results,
    missingKinds: results.some(({ failure }) => failure?.code === "ClusterKindUnknown"),
  };
}

/** A Job with a time to live says so where its object will be missed. */
function marked({ expires: _before, ...ref }: AppliedRef, objects: readonly KubeObject[]): AppliedRef {
  if (ref.kind !== "Job") return ref;
  const job = objects.find(({ kind, metadata }) => kind === "Job" && metadata.name === ref.name);
  return typeof at(job, ["spec", "ttlSecondsAfterFinished"]) === "number" ? { ...ref, expires: true } : ref;
}

function refusal({ kind, name }: ObjectRef, message: string): RefusedObject {
  return { kind, name, message };
}

/** What may exist in the cluster now: every object of the new manifest, and of the old one what was not pruned yet. */
function standingRefs(results: readonly ObjectResult[], before: AppliedState): AppliedState["refs"] {
  const settled = new Set(results.map(({ key }) => key));
  const left = before.refs.filter((ref) => !settled.has(objectKey(ref)));
  const pruned = results.some(({ action }) => action === "failed") ? left : [];
  return [...results.filter(({ action }) => action !== "pruned").map(({ ref }) => ref), ...pruned];
}
