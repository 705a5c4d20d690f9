import { environmentLabel } from "../apply/marks.ts";
import type { ClusterClient, KindRef, LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { ClusterKindUnknown, ClusterRefused } from "../client/errors.ts";
import { refOf } from "../client/objectRef.ts";
import { objectKey } from "../objectKey.ts";

/** The live objects of one kind that carry our label, kept current by one LIST and one WATCH. */
export interface Informer {
  /** By `placeOf`. */
  objects: Map<string, LiveObject>;
  /** False until the first list came. */
  synced: boolean;
  version: string;
  /** When the watch last told something, be it that nothing happened, in Unix milliseconds; 0 before, `Infinity` for none. */
  heardAt: number;
  /** The user may not look at all namespaces. */
  refused: boolean;
  running: Promise<void>;
}

export interface InformerEvents {
  /** A list at least as new may come from the server's cache. */
  notOlderThan: string | undefined;
  /** Which objects; those of environments unless something else is said. */
  labelSelector?: string;
  changed(): void;
  failed(error: unknown): void;
  /** The user may not list the whole cluster. */
  refused(): void;
}

/** Starts at once and ends with the signal; what ends it earlier is told through `events`. */
export function startInformer(
  client: ClusterClient,
  kind: KindRef,
  namespace: string | undefined,
  signal: AbortSignal,
  events: InformerEvents,
): Informer {
  const informer: Informer = {
    objects: new Map(),
    synced: false,
    version: "",
    heardAt: 0,
    refused: false,
    running: Promise.resolve(),
  };
  const { objects } = informer;
  const { labelSelector = environmentLabel, notOlderThan } = events;
  const query = { namespace, labelSelector, notOlderThan, signal };
  informer.running = (async () => {
    try {
      for await (const event of client.watch(kind, query)) {
        informer.version = event.resourceVersion;
        informer.heardAt = Date.now();
        if (event.type === "bookmark") continue;
        if (event.type === "listed") {
          objects.clear();
          for (const object of event.items) objects.set(placeOf(refOf(object)), object);
          informer.synced = true;
        } else if (event.type === "deleted") objects.delete(placeOf(refOf(event.object)));
        else objects.set(placeOf(refOf(event.object)), event.object);
        events.changed();
      }
    } catch (error) {
      if (error instanceof ClusterRefused && namespace === undefined) {
        informer.refused = true;
        informer.heardAt = Number.POSITIVE_INFINITY;
        events.refused();
      } else if (error instanceof ClusterKindUnknown) {
        // An object of an unknown kind is never ready; the caller that waits for it gives up at the deadline.
        informer.synced = true;
        informer.heardAt = Number.POSITIVE_INFINITY;
        events.changed();
      } else events.failed(error);
    }
  })();
  return informer;
}

/** Where an object is among all objects of a cluster. */
export function placeOf(ref: ObjectRef): string {
  return `${ref.namespace ?? ""}/${objectKey(ref)}`;
}

/** When the quietest of several watches last told something, in Unix milliseconds; 0 and `Infinity` as theirs. */
export function quietest(informers: Iterable<Informer>): number {
  return Math.min(Number.POSITIVE_INFINITY, ...[...informers].map(({ heardAt }) => heardAt));
}
