import { mapBounded } from "../../base/common/mapBounded.ts";
import { ownerLabel } from "../apply/marks.ts";
import type { CallOptions, ClusterClient, KindRef, LiveObject } from "../client/ClusterClient.ts";
import { ClusterKindUnknown, ClusterNotFound } from "../client/errors.ts";
import { refOf } from "../client/objectRef.ts";
import type { MeshKinds } from "./meshKinds.ts";

/** The namespace of an environment, and the mark of what routes calls in it. */
export interface MeshPlace {
  namespace: string;
  environmentId: string;
}

/** The objects that exist in the place for routing: copies of Services, VirtualServices, Gateways. */
export async function ownedObjects(
  client: ClusterClient,
  kinds: MeshKinds,
  { namespace, environmentId }: MeshPlace,
  call: CallOptions = {},
): Promise<LiveObject[]> {
  const wanted: KindRef[] = [kinds.virtualService, kinds.gateway, { apiVersion: "v1", kind: "Service" }];
  const lists = await mapBounded(wanted, wanted.length, async (kind) => {
    try {
      return (await client.list(kind, { namespace, labelSelector: `${ownerLabel}=${environmentId}`, ...call })).items;
    } catch (error) {
      if (error instanceof ClusterKindUnknown || error instanceof ClusterNotFound) return [];
      throw error;
    }
  });
  return lists.flat();
}

/** Deletes objects that were listed, as they were then. */
export async function removeListed(client: ClusterClient, objects: readonly LiveObject[]): Promise<void> {
  await mapBounded(objects, 16, (object) => client.remove(refOf(object), { uid: object.metadata.uid }));
}
