import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { KindRef, ListOptions, LiveObject, ObjectList, WatchEvent, WatchOptions } from "./ClusterClient.ts";
import { ClusterCallAborted, type ClusterError, ClusterExpired, RetryableClusterError } from "./errors.ts";
import { readObject } from "./readObject.ts";
import { statusError } from "./wire/statusError.ts";
import { transportError } from "./wire/transportError.ts";

interface WatchSource {
  list(options: ListOptions): Promise<ObjectList>;
  /** Opens one watch connection: newline-separated JSON events. */
  open(query: Record<string, string | undefined>, signal: AbortSignal | undefined): Promise<Readable>;
}

/** Failed connections in a row after which a watch gives up. */
const maxFailures = 6;

/**
 * Events of a kind, across any number of connections: a closed one is opened again after the last version seen, an
 * expired version leads to a new list. Ends quietly when the signal ends it.
 * @throws ClusterError: a terminal one at once, a retryable one after six failed connections in a row
 */
export async function* watchKind(
  source: WatchSource,
  kind: KindRef,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal, connectionSeconds = 240, resourceVersion: from, notOlderThan, ...query } = options;
  let version = from;
  let failures = 0;
  while (!isAborted(signal)) {
    try {
      if (version === undefined) {
        // Only the first list may come from the server's cache: a later one follows an expired version.
        const listed = await source.list({
          ...query,
          ...(failures === 0 && { notOlderThan }),
          ...(signal && { signal }),
        });
        version = listed.resourceVersion;
        yield { type: "listed", ...listed };
      }
      const seconds = Math.ceil(connectionSeconds * (0.8 + Math.random() * 0.2));
      const parameters = {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion: version,
        timeoutSeconds: String(seconds),
        labelSelector: query.labelSelector,
        fieldSelector: query.fieldSelector,
      };
      const opened = performance.now();
      for await (const event of readEvents(await source.open(parameters, signal), kind, seconds + 30)) {
        version = event.resourceVersion;
        failures = 0;
        yield event;
      }
      // A server that closes every watch at once must not be asked in a tight loop.
      if (performance.now() - opened < 1000) await pause(500, signal);
    } catch (thrown) {
      const error = transportError(thrown, `watch ${kind.kind}`, isAborted(signal) ? "signal" : undefined);
      if (error instanceof ClusterCallAborted) return;
      if (error instanceof ClusterExpired) version = undefined;
      if (!(error instanceof RetryableClusterError)) throw error;
      failures += 1;
      if (failures >= maxFailures) throw error;
      await pause(Math.random() * Math.min(10_000, 200 * 2 ** failures), signal);
    }
  }
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

async function* readEvents(
  body: Readable,
  kind: KindRef,
  silentSeconds: number,
): AsyncGenerator<Exclude<WatchEvent, { type: "listed" }>> {
  // A peer that vanished without closing never ends the connection by itself.
  const silence = setTimeout(() => body.destroy(new Error("the watch connection fell silent")), silentSeconds * 1000);
  // readline does not hand on errors of its input, so they are kept and thrown at the end.
  let broken: Error | undefined;
  body.once("error", (error) => {
    broken = error;
  });
  try {
    for await (const line of createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line !== "") yield readEvent(line, kind);
    }
    if (broken !== undefined) throw broken;
  } finally {
    clearTimeout(silence);
    body.destroy();
  }
}

const types: Record<string, "added" | "modified" | "deleted"> = {
  ADDED: "added",
  MODIFIED: "modified",
  DELETED: "deleted",
};

function readEvent(line: string, kind: KindRef): Exclude<WatchEvent, { type: "listed" }> {
  const { type, object }: { type: string; object: LiveObject } = JSON.parse(line);
  if (type === "ERROR") throw errorEvent(object, kind);
  const resourceVersion = object.metadata.resourceVersion ?? "";
  if (type === "BOOKMARK") return { type: "bookmark", resourceVersion };
  const changed = types[type];
  if (changed === undefined) throw new Error(`unknown watch event ${type}`);
  const { apiVersion, kind: name } = kind;
  return { type: changed, object: readObject({ ...object, apiVersion, kind: name }, `watch ${name}`), resourceVersion };
}

function errorEvent(status: unknown, kind: KindRef): ClusterError {
  return statusError(200, status, `watch ${kind.kind}`);
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
