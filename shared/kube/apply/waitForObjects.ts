import { callBudget } from "../../base/outbound/callBudget.ts";
import type { ClusterClient, KindRef, LiveObject } from "../client/ClusterClient.ts";

export interface ObjectQuery {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  metadataOnly?: boolean;
}

/**
 * Watches the objects of one kind until a condition holds on all that match.
 * @returns whether it came to hold before `deadlineSeconds` passed or the signal ended the wait
 */
export async function waitForObjects(
  client: ClusterClient,
  kind: KindRef,
  query: ObjectQuery,
  holds: (objects: ReadonlyMap<string, LiveObject>) => boolean,
  limits: { deadlineSeconds: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const ended = new AbortController();
  const late = AbortSignal.timeout(Math.ceil(limits.deadlineSeconds * 1000));
  const signals = [ended.signal, late, limits.signal, callBudget()];
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  const objects = new Map<string, LiveObject>();
  try {
    for await (const event of client.watch(kind, { ...query, signal })) {
      if (event.type === "bookmark") continue;
      if (event.type === "listed") {
        objects.clear();
        for (const object of event.items) objects.set(idOf(object), object);
      } else if (event.type === "deleted") objects.delete(idOf(event.object));
      else objects.set(idOf(event.object), event.object);
      if (holds(objects)) return true;
    }
    return false;
  } finally {
    ended.abort();
  }
}

function idOf({ metadata }: LiveObject): string {
  return metadata.uid ?? `${metadata.namespace}/${metadata.name}`;
}
