import { EnvironmentProblem } from "../../../environments/failures.ts";
import type { EnvironmentReference } from "../../../environments/store/environments.ts";
import { requireNoRollout } from "../../../environments/workloads/requireNoRollout.ts";
import { serviceLabel } from "../../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject, ObjectRef, Patch } from "../../../kube/client/ClusterClient.ts";
import { openCluster } from "../../../kube/clusters/openCluster.ts";
import { at, podSpecPath } from "../../../manifest/workloads.ts";
import { ownerOf } from "../ownerOf.ts";
import { type OwnNamespace, ownNamespace } from "../ownNamespace.ts";
import type { CustomDeployRun } from "./planner.ts";

/** The workload before its image changes. */
interface Target {
  place: OwnNamespace;
  client: ClusterClient;
  ref: ObjectRef;
  before: LiveObject;
  /** The environment whose service applied it; undefined when none did. */
  owner: EnvironmentReference | undefined;
}

const versions: Readonly<Record<string, string>> = {
  Deployment: "apps/v1",
  StatefulSet: "apps/v1",
  CronJob: "batch/v1",
};

/** @throws EnvironmentProblem for what a job may not change or cannot; ClusterError */
export async function readTarget(projectKey: string, target: CustomDeployRun): Promise<Target> {
  const { kind, name, container, image } = target;
  const apiVersion = versions[kind];
  if (apiVersion === undefined)
    throw new EnvironmentProblem(
      `${kind} cannot be deployed this way; the target must be a Deployment, a StatefulSet or a CronJob`,
    );
  if (image === "") throw new EnvironmentProblem(`no image is named for ${kind}/${name}/${container}`);
  const place = await ownNamespace(projectKey, target.clusterId, target.namespace);
  await requireNoRollout(place, [{ kind, name }]);
  const { client } = await openCluster(place.clusterId);
  const ref = { apiVersion, kind, name, namespace: place.namespace };
  const before = await client.get(ref);
  const owner = await ownerOf(before, place);
  const names = containersIn(before).map((one) => String(one.name));
  if (!names.includes(container))
    throw new EnvironmentProblem(
      `container "${container}" is not part of ${kind} "${name}"; its containers are: ${names.join(", ")}`,
    );
  return { place, client, ref, before, owner };
}

export function containersIn(live: LiveObject): { name: unknown; image: unknown }[] {
  const list = at(live, [...(podSpecPath(live.kind) ?? []), "containers"]);
  return Array.isArray(list) ? list.map((one) => ({ name: at(one, ["name"]), image: at(one, ["image"]) })) : [];
}

/** Of a workload that no environment applied. */
export function imagePatch({ kind }: LiveObject, { container, image }: CustomDeployRun): Patch {
  const pod = { containers: [{ name: container, image }] };
  const path = podSpecPath(kind) ?? [];
  return { type: "strategic", body: path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), pod) };
}

/** The service that applied it; empty when none did. */
export function serviceOf({ metadata }: LiveObject): string {
  return metadata.labels?.[serviceLabel] ?? "";
}
