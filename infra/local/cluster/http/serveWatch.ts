import type { ServerResponse } from "node:http";
import { ApiError, badRequest } from "../api/errors.ts";
import { groupVersion } from "../api/resource.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Store } from "../store/store.ts";
import type { Target } from "./route.ts";
import { inVersion, selection } from "./serveList.ts";
import { tableOf } from "./table.ts";

const bookmarkMilliseconds = 30_000;

/**
 * Streams changes until the client goes or `timeoutSeconds` are over. Without a resourceVersion it starts with all
 * objects as ADDED; with one that is no longer remembered it sends one ERROR event with code 410.
 */
export function serveWatch(
  store: Store,
  target: Target,
  query: URLSearchParams,
  asTable: boolean,
  response: ServerResponse,
): void {
  const matches = selection(target, query);
  const version = groupVersion(target.resource);
  const asked = query.get("resourceVersion") ?? "";
  if (asked !== "" && !/^\d+$/.test(asked)) {
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(asked)}: strconv.ParseUint: parsing ${JSON.stringify(asked)}: invalid syntax`,
    );
  }
  const initial = query.get("sendInitialEvents") === "true";
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
  response.flushHeaders();
  const render = (object: KubeObject) =>
    asTable ? JSON.stringify(tableOf(target.resource, [object])) : inVersion(object, version);
  const send = (type: string, body: string) => void response.write(`{"type":"${type}","object":${body}}\n`);
  const bookmark = (annotations?: Record<string, string>) =>
    send(
      "BOOKMARK",
      JSON.stringify({
        kind: target.resource.kind,
        apiVersion: version,
        metadata: { resourceVersion: String(store.revision), ...(annotations ? { annotations } : {}) },
      }),
    );
  const onChange = (change: Change) => {
    const now = change.type !== "DELETED" && matches(change.object);
    const before = change.previous !== undefined && matches(change.previous);
    if (now) send(before ? "MODIFIED" : "ADDED", render(change.object));
    else if (before) send("DELETED", render(change.object));
  };

  if (asked === "" || asked === "0" || initial) {
    const objects = store.list(target.resource.key, target.everywhere ? undefined : target.namespace);
    for (const object of objects) if (matches(object)) send("ADDED", render(object));
    if (initial) bookmark({ "k8s.io/initial-events-end": "true" });
  } else {
    const missed = store.since(target.resource.key, Number(asked));
    if (!missed || Number(asked) > store.revision) {
      const text = `too old resource version: ${asked} (${store.revision})`;
      send("ERROR", JSON.stringify(new ApiError(410, "Expired", text).body()));
      response.end();
      return;
    }
    for (const change of missed) onChange(change);
  }
  const stop = store.subscribe(target.resource.key, onChange);
  const bookmarks = query.get("allowWatchBookmarks") === "true" || query.get("allowWatchBookmarks") === "1";
  const ticker = bookmarks ? setInterval(() => bookmark(), bookmarkMilliseconds) : undefined;
  const seconds = Number(query.get("timeoutSeconds")) || 1_800 + Math.floor(Math.random() * 1_800);
  const timer = setTimeout(() => {
    if (bookmarks) bookmark();
    response.end();
  }, seconds * 1_000);
  response.on("close", () => {
    stop();
    clearInterval(ticker);
    clearTimeout(timer);
  });
}
