import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { removeCachedCluster } from "../../../../shared/kube/clusters/openCluster.ts";
import { environmentBody, localClusterId, untilStatus } from "../../../harness/boutique.ts";
import { type BrittleCluster, startBrittleCluster } from "../../../harness/brittleCluster.ts";
import { type OpenStream, openStream } from "../../../harness/eventStream.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import { type LogRequest, type ScriptedLogs, scriptLogs } from "../../../harness/scriptedLogs.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), "slipway-logs-"));
const success = '{"message":"success"}';

let cluster: BrittleCluster;
let slipway: Slipway;
let pod: string;
const streams: OpenStream[] = [];

beforeAll(async () => {
  cluster = await startBrittleCluster(join(folder, "cluster"));
  slipway = await startSlipway({ dataDir: join(folder, "data"), kubeconfig: cluster.kubeconfig });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).text).toBe(success);
  const service = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
  const raw = "/openapi/service/yaml/raw?projectKey=shop";
  expect((await slipway.call("POST", raw, { body: service })).text).toBe(success);
  const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
  expect((await slipway.call("POST", "/openapi/environments?projectKey=shop", { body })).text).toBe(success);
  await untilStatus(slipway, "shop", "dev", "running");
  const { items } = await cluster.client.list({ apiVersion: "v1", kind: "Pod" }, { namespace: "shop-dev" });
  pod = items[0]?.metadata.name ?? "";
});

afterAll(async () => {
  await slipway.close();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

/** How long nothing must have changed to count as standing still. */
const stillMilliseconds = 1500;

/** Writes numbered lines as fast as they are taken; tells how many bytes were. */
function flood(request: LogRequest): { bytes(): number } {
  let bytes = 0;
  let number = 0;
  const rest = ".".repeat(8_000);
  const write = (): void => {
    while (!request.isClosed()) {
      const line = `${number} ${rest}\n`;
      number += 1;
      bytes += line.length;
      if (request.out.write(line)) continue;
      request.out.once("drain", write);
      return;
    }
  };
  write();
  return { bytes: () => bytes };
}

describe.each(["HTTP/1.1", "HTTP/2"] as const)("a cluster that speaks %s", (wire) => {
  let logs: ScriptedLogs;

  beforeEach(async () => {
    logs = await scriptLogs(cluster, wire);
    // What a server speaks is asked at the first connection alone.
    removeCachedCluster(localClusterId);
  });

  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.leave();
    await logs.close();
    removeCachedCluster(localClusterId);
  });

  const open = async (query = "", options: { paused?: boolean; lastEventId?: string } = {}): Promise<OpenStream> => {
    const path = `/openapi/logs/sse/pods/${pod}/containers/main?projectKey=shop&envName=dev${query}`;
    const stream = await openStream(slipway.runtime.url, path, options);
    streams.push(stream);
    return stream;
  };

  /** Opens a stream whose first line is there. */
  const begun = async (first = "first\n"): Promise<{ stream: OpenStream; request: LogRequest }> => {
    const opening = open();
    const request = await logs.request(0);
    request.out.write(first);
    return { stream: await opening, request };
  };

  test("is asked for what was asked for", async () => {
    const opening = open("&tails=7&since=1m30s");
    const { query, out } = await logs.request(0);
    out.end("x\n");
    await (await opening).ended();
    expect(Object.fromEntries(query)).toEqual({
      container: "main",
      follow: "true",
      timestamps: "true",
      tailLines: "7",
      sinceSeconds: "90",
    });
  });

  test("is asked from the second before the line that was seen last, and what was seen is not shown again", async () => {
    const time = "2026-01-02T03:04:05.000000007Z";
    const opening = open("&tails=7&since=1m", { lastEventId: `${time}.1` });
    const { query, out } = await logs.request(0);
    for (const line of [
      "2026-01-02T03:04:04.9Z old",
      `${time} 0`,
      `${time} 1`,
      `${time} 2`,
      "2026-01-02T03:04:05.1Z new",
    ])
      out.write(`${line}\n`);
    out.end();
    const stream = await opening;
    await stream.ended();
    expect(stream.events().map(({ data }) => data)).toEqual(["2", "new"]);
    expect(stream.ids()).toEqual([`${time}.2`, "2026-01-02T03:04:05.1Z.0"]);
    expect(query.get("sinceTime")).toBe("2026-01-02T03:04:04Z");
    expect([query.get("tailLines"), query.get("sinceSeconds")]).toEqual([null, null]);
  });

  test("ends the stream when the container stops, the last line without an end included", async () => {
    const { stream, request } = await begun();
    request.out.end("last");
    await stream.ended();
    expect(stream.text()).toBe("event:message\ndata:first\n\nevent:message\ndata:last\n\n");
  });

  test("may cut lines, line ends and characters wherever it likes", async () => {
    const log = Buffer.from("héllo wörld 🚢\r\n\r\n10%\r20%\nend\n");
    const { stream, request } = await begun(" \n");
    for (const byte of log) {
      request.out.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    request.out.end();
    await stream.ended();
    expect(
      stream
        .events()
        .map(({ data }) => data)
        .slice(1),
    ).toEqual(["héllo wörld 🚢", "", "10%\n20%", "end"]);
  });

  test("may write a line of many megabytes", async () => {
    const { stream, request } = await begun();
    const long = "long ".repeat(2_000_000);
    request.out.end(`${long}\nlast\n`);
    await stream.ended();
    expect(stream.events().map(({ data }) => data.length)).toEqual([5, long.length, 4]);
  });

  test("is told to stop at once when the client leaves", async () => {
    const { stream, request } = await begun();
    await stream.lines(1);
    expect(request.isClosed()).toBe(false);
    stream.leave();
    await waitFor("the cluster to see it", async () => request.isClosed(), 2);
  });

  test("is told to stop when the client leaves before the first line", async () => {
    const stream = await open();
    expect(stream.status).toBe(200);
    const request = await logs.request(0);
    expect(request.isClosed()).toBe(false);
    stream.leave();
    await waitFor("the cluster to see it", async () => request.isClosed(), 2);
  });

  test("that breaks off is the last thing the stream tells, once and in a sentence", async () => {
    const { stream, request } = await begun("one\ntwo");
    await stream.lines(1);
    request.breakOff();
    await stream.ended();
    const events = stream.events();
    expect(events.map(({ event }) => event)).toEqual(["message", "message", "error"]);
    expect(events.slice(0, 2).map(({ data }) => data)).toEqual(["one", "two"]);
    expect(events[2]?.data).toMatch(
      new RegExp(`^the log of container main in pod ${pod} broke off: the cluster does not answer .*check its address`),
    );
  });

  test("whose connection is cut is told of in the same way", async () => {
    const { stream } = await begun();
    await stream.lines(1);
    await cluster.cut();
    await stream.ended();
    expect(stream.events().map(({ event }) => event)).toEqual(["message", "error"]);
  });

  test("that breaks off before the first line is told of in the stream, which has begun", async () => {
    const stream = await open();
    expect([stream.status, stream.text()]).toEqual([200, ""]);
    await cluster.cut();
    await stream.ended();
    expect(stream.events()).toMatchObject([{ event: "error", data: expect.stringContaining("broke off") }]);
  });

  test("waits when the client reads no further, and nothing is lost when it does", async () => {
    const opening = open("", { paused: true });
    const sent = flood(await logs.request(0));
    const stream = await opening;
    let last = -1;
    await waitFor("the cluster to wait", async () => {
      const before = last;
      last = sent.bytes();
      await new Promise((resolve) => setTimeout(resolve, stillMilliseconds));
      return before === last && last === sent.bytes();
    });
    // What two connections of this machine hold, and a pipe between them; the flood has no end.
    expect(last).toBeLessThan(32 * 1024 * 1024);
    stream.resume();
    await waitFor("it to go on", async () => sent.bytes() > 2 * last);
    stream.leave();
    const numbers = stream.events().map(({ data }) => Number.parseInt(data, 10));
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers).toEqual(numbers.map((_, at) => at));
    await waitFor("the cluster to see that the client left", async () => logs.requests[0]?.isClosed() === true, 5);
  });
});

test("a cluster that cannot be reached refuses the stream before it begins", async () => {
  await cluster.cut();
  const path = `/openapi/logs/sse/pods/${pod}/containers/main?projectKey=shop&envName=dev`;
  const { status, json } = await slipway.call<{ code: number; description: string }>("GET", path);
  await cluster.mend();
  expect([status, json.code]).toEqual([400, 6153]);
  expect(json.description).toContain("the cluster does not answer");
});
