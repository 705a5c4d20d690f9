import { afterEach, describe, expect, it } from "vitest";
import type { WatchEvent, WatchOptions } from "../../../../shared/kube/client/ClusterClient.ts";
import { configMap, startApiServer, status } from "./apiServer.ts";

let server: Awaited<ReturnType<typeof startApiServer>>;
afterEach(() => server.close());

const kind = { apiVersion: "v1", kind: "ConfigMap" };
const line = (type: string, version: string, name = "a") =>
  `${JSON.stringify({ type, object: configMap(name, { resourceVersion: version }) })}\n`;
const listed = (version: string, ...names: string[]) => ({
  body: { metadata: { resourceVersion: version }, items: names.map((name) => ({ metadata: { name } })) },
});

/** The first `count` events as `type@version`. */
async function take(count: number, options: WatchOptions = {}): Promise<string[]> {
  const events: string[] = [];
  for await (const event of server.client.watch(kind, options)) {
    events.push(text(event));
    if (events.length === count) break;
  }
  return events;
}

function text(event: WatchEvent): string {
  return event.type === "listed"
    ? `listed ${event.items.length}@${event.resourceVersion}`
    : `${event.type}@${event.resourceVersion}`;
}

const versionAsked = (url: string | undefined) => new URL(url ?? "", "http://x").searchParams.get("resourceVersion");

describe("a watch", () => {
  it("lists, follows, and goes on after the last version seen when the connection closes", async () => {
    const asked: (string | null)[] = [];
    server = await startApiServer((request) => {
      if (!request.url?.includes("watch=true")) return listed("10", "a");
      asked.push(versionAsked(request.url));
      return (response) => {
        if (asked.length === 1) response.end(line("MODIFIED", "11") + line("BOOKMARK", "15"));
        else response.write(line("DELETED", "16"));
      };
    });
    expect(await take(4)).toEqual(["listed 1@10", "modified@11", "bookmark@15", "deleted@16"]);
    expect(asked).toEqual(["10", "15"]);
  });

  it("resumes after a given version without listing", async () => {
    server = await startApiServer(
      (request) => (response) => response.write(line("ADDED", versionAsked(request.url) ?? "")),
    );
    expect(await take(1, { resourceVersion: "42" })).toEqual(["added@42"]);
    expect(server.sent.map(({ verb }) => verb)).toEqual(["watch"]);
  });

  it.each([
    ["an error event", () => `${JSON.stringify({ type: "ERROR", object: status(410, "Expired", "too old").body })}\n`],
    ["the status", undefined],
  ])("lists again when its version expired, told by %s", async (_name, event) => {
    server = await startApiServer((request) => {
      if (!request.url?.includes("watch=true")) return listed("90", "a", "b");
      if (versionAsked(request.url) !== "1") return (response) => response.write(line("ADDED", "91"));
      return event === undefined ? status(410, "Expired", "too old") : (response) => response.end(event());
    });
    expect(await take(2, { resourceVersion: "1" })).toEqual(["listed 2@90", "added@91"]);
  });

  it("survives a connection that breaks in the middle of a line", async () => {
    let opened = 0;
    server = await startApiServer(() => (response) => {
      opened += 1;
      if (opened === 1) response.write(`${line("ADDED", "2")}{"type":"MODI`, () => response.destroy());
      else response.write(line("MODIFIED", "3"));
    });
    expect(await take(2, { resourceVersion: "1" })).toEqual(["added@2", "modified@3"]);
  });

  it("ends quietly when its signal ends it", async () => {
    const ended = new AbortController();
    server = await startApiServer(() => (response) => response.write(line("ADDED", "2")));
    const events: string[] = [];
    for await (const event of server.client.watch(kind, { resourceVersion: "1", signal: ended.signal })) {
      events.push(text(event));
      ended.abort();
    }
    expect(events).toEqual(["added@2"]);
  });

  it("fails at once when it may not watch", async () => {
    server = await startApiServer(() => status(403, "Forbidden", "no"));
    await expect(take(1, { resourceVersion: "1" })).rejects.toMatchObject({ name: "ClusterRefused" });
  });
});
