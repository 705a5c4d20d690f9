import type { CallOptions, ClusterClient, LiveObject, ObjectRef } from "./ClusterClient.ts";
import { ClusterNotFound } from "./errors.ts";

/** The live object, or undefined when there is none. @throws ClusterError when the cluster cannot be asked */
export async function findObject(
  client: Pick<ClusterClient, "get">,
  ref: ObjectRef,
  call?: CallOptions,
): Promise<LiveObject | undefined> {
  try {
    return await client.get(ref, call);
  } catch (error) {
    if (error instanceof ClusterNotFound) return undefined;
    throw error;
  }
}
