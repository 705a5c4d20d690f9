import type { CallOptions, ClusterClient, KindRef, LiveObject } from "../clients/kubernetes/ClusterClient.ts";
import { ClusterKindUnknown } from "../clients/kubernetes/errors.ts";
import { mapBounded } from "./mapBounded.ts";
import { environmentLabel, serviceLabel } from "./marks.ts";
import { distinctKinds } from "./readLive.ts";

export interface EnvironmentQuery extends CallOptions {
  environmentId: string;
  namespace: string;
  /** Kinds to read; pods are read in any case. */
  kinds: readonly KindRef[];
  /** Only the objects of this service. */
  serviceName?: string;
}

/**
 * Reads the live objects of an environment: one LIST per kind for all its services together (design 6).
 * @throws ClusterError when the cluster cannot be read
 */
export async function readEnvironment(client: ClusterClient, query: EnvironmentQuery): Promise<LiveObject[]> {
  const { environmentId, namespace, kinds, serviceName, ...call } = query;
  const service = serviceName === undefined ? "" : `,${serviceLabel}=${serviceName}`;
  const labelSelector = `${environmentLabel}=${environmentId}${service}`;
  const lists = await mapBounded(distinctKinds([...kinds, { apiVersion: "v1", kind: "Pod" }]), 16, async (kind) => {
    try {
      const { namespaced } = await client.resource(kind, call);
      return (await client.list(kind, { labelSelector, ...(namespaced && { namespace }), ...call })).items;
    } catch (error) {
      if (error instanceof ClusterKindUnknown) return [];
      throw error;
    }
  });
  return lists.flat();
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
