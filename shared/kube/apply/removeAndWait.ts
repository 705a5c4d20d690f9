import type { CallOptions, ClusterClient, LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { ClusterUnreachable } from "../client/errors.ts";
import { describe } from "../client/objectRef.ts";
import { waitForObjects } from "./waitForObjects.ts";

const goneSeconds = 60;

/** Deletes the object with this uid and waits until it is gone. @throws ClusterUnreachable when it does not go */
export async function removeAndWait(
  client: ClusterClient,
  ref: ObjectRef,
  uid: string | undefined,
  call: CallOptions,
): Promise<void> {
  if ((await client.remove(ref, { uid, ...call })) !== "removing") return;
  const query = { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}`, metadataOnly: true };
  const gone = (objects: ReadonlyMap<string, LiveObject>) => !objects.has(uid ?? "");
  if (!(await waitForObjects(client, ref, query, gone, { deadlineSeconds: goneSeconds, signal: call.signal })))
    throw new ClusterUnreachable(`${describe(ref)} is still being deleted after ${goneSeconds} s`, "ETIMEDOUT");
}
