import { rolloutLabel } from "../../../kube/apply/marks.ts";
import type { ClusterClient, ObjectRef } from "../../../kube/client/ClusterClient.ts";
import { findObject } from "../../../kube/client/findObject.ts";

/** Deletes an object that a task made; one that does not exist, or that the task does not own, is left alone. */
export async function removeOwned(client: ClusterClient, ref: ObjectRef, owner: string): Promise<void> {
  const object = await findObject(client, ref);
  if (object?.metadata.labels?.[rolloutLabel] === owner) await client.remove(ref, { uid: object.metadata.uid });
}
