import type { CallOptions, ClusterClient, KindRef, ObjectRef } from "./client/ClusterClient.ts";
import { ClusterKindUnknown } from "./client/errors.ts";
import { kindKey, objectKey } from "./objectKey.ts";
import { distinctKinds } from "./readLive.ts";

/** Of what is named, the objects that belong to no namespace; each once. Kinds that the cluster does not serve have none. */
export async function clusterScopedOf(
  client: ClusterClient,
  named: readonly (KindRef & { name?: string })[],
  call: CallOptions = {},
): Promise<ObjectRef[]> {
  const refs = named.flatMap(({ name, apiVersion, kind }) => (name === undefined ? [] : [{ apiVersion, kind, name }]));
  const scopes = new Map<string, boolean>();
  for (const kind of distinctKinds(refs)) scopes.set(kindKey(kind), await isClusterScoped(client, kind, call));
  const found = refs.filter((ref) => scopes.get(kindKey(ref)) === true);
  return [...new Map(found.map((ref) => [objectKey(ref), ref])).values()];
}

async function isClusterScoped(client: ClusterClient, kind: KindRef, call: CallOptions): Promise<boolean> {
  try {
    return !(await client.resource(kind, call)).namespaced;
  } catch (error) {
    if (error instanceof ClusterKindUnknown) return false;
    throw error;
  }
}
