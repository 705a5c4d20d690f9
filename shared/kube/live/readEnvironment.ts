import { mapBounded } from "../../base/common/mapBounded.ts";
import { environmentLabel, serviceLabel } from "../apply/marks.ts";
import type { CallOptions, ClusterClient, KindRef, LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { ClusterKindUnknown } from "../client/errors.ts";
import { findObject } from "../client/findObject.ts";
import { kindKey } from "../objectKey.ts";
import { isCronJob, isPod, isWorkload } from "./liveTypes.ts";
import { podsOf, podsOfCronJob } from "./podsOf.ts";
import { fieldsOf, podTemplateOf } from "./podTemplate.ts";
import { distinctKinds } from "./readLive.ts";

export interface EnvironmentQuery extends CallOptions {
  environmentId: string;
  namespace: string;
  /** Kinds to read; pods are read in any case. */
  kinds: readonly KindRef[];
  /** What services have: of kinds without a namespace an object may carry the labels of another owner. */
  named?: readonly { service: string; ref: ObjectRef }[];
  /** Only the objects of this service. */
  serviceName?: string;
}

/**
 * Reads the live objects of an environment: one LIST per kind for all its services together.
 * @throws ClusterError when the cluster cannot be read
 */
export async function readEnvironment(client: ClusterClient, query: EnvironmentQuery): Promise<LiveObject[]> {
  const { environmentId, namespace, kinds, serviceName, named = [], ...call } = query;
  const service = serviceName === undefined ? "" : `,${serviceLabel}=${serviceName}`;
  const labelSelector = `${environmentLabel}=${environmentId}${service}`;
  const lists = await mapBounded(distinctKinds([...kinds, { apiVersion: "v1", kind: "Pod" }]), 16, async (kind) => {
    try {
      const { namespaced } = await client.resource(kind, call);
      const { items } = await client.list(kind, { labelSelector, ...(namespaced && { namespace }), ...call });
      if (namespaced) return items;
      const shared = named.filter(
        ({ ref }) => kindKey(ref) === kindKey(kind) && !items.some((one) => one.metadata.name === ref.name),
      );
      const found = await mapBounded(shared, 16, ({ ref }) => findObject(client, { ...kind, name: ref.name }, call));
      return [
        ...items,
        ...found.flatMap((one, at) => (one === undefined ? [] : [under(one, environmentId, shared[at]?.service)])),
      ];
    } catch (error) {
      if (error instanceof ClusterKindUnknown) return [];
      throw error;
    }
  });
  const objects = lists.flat();
  return [...objects, ...(await unlabelledPods(client, query, objects))];
}

/** Pods of workloads whose templates do not carry our labels: those of a release that was adopted unchanged. */
async function unlabelledPods(
  client: ClusterClient,
  { environmentId, namespace, kinds: _kinds, named: _named, serviceName: _service, ...call }: EnvironmentQuery,
  objects: readonly LiveObject[],
): Promise<LiveObject[]> {
  const bare = objects.filter((object) => {
    const template = isPod(object) ? undefined : podTemplateOf(object);
    if (template === undefined) return false;
    return fieldsOf(fieldsOf(template.metadata)?.labels)?.[environmentLabel] !== environmentId;
  });
  if (bare.length === 0) return [];
  const labelSelector = `${environmentLabel}!=${environmentId}`;
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod" }, { labelSelector, namespace, ...call });
  return bare.flatMap((workload) => {
    const pods = isCronJob(workload)
      ? podsOfCronJob(workload, items)
      : isWorkload(workload)
        ? podsOf(workload, items)
        : [];
    return pods.map((pod) => under(pod, environmentId, workload.metadata.labels?.[serviceLabel]));
  });
}

function under(object: LiveObject, environmentId: string, service = ""): LiveObject {
  const labels = { ...object.metadata.labels, [environmentLabel]: environmentId, [serviceLabel]: service };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** Live objects by the service that applied them or whose pods they are. */
export function byService(objects: readonly LiveObject[]): Map<string, LiveObject[]> {
  const services = new Map<string, LiveObject[]>();
  for (const object of objects) {
    const name = object.metadata.labels?.[serviceLabel];
    if (name === undefined) continue;
    const found = services.get(name);
    if (found === undefined) services.set(name, [object]);
    else found.push(object);
  }
  return services;
}
