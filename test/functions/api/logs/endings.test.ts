import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { playedLine } from "../../../../infra/local/cluster/pods/serveLog.ts";
import { removeConfig } from "../../../../shared/base/settings/config.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { leaveStreamPlace, takeStreamPlace } from "../../../../shared/base/store/openStreams.ts";
import { table } from "../../../../shared/base/store/table.ts";
import type { ClusterClient } from "../../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { environmentBody } from "../../../harness/boutique.ts";
import { type OpenStream, openStream } from "../../../harness/eventStream.ts";
import { openLogRequests } from "../../../harness/openLogRequests.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const success = '{"message":"success"}';

/** A played Deployment, one whose image cannot be pulled, and a Job that runs: it counts until it is told to end. */
const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: main, image: "web:1" }] } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: late }
spec:
  selector: { matchLabels: { app: late } }
  template: { metadata: { labels: { app: late } }, spec: { containers: [{ name: main, image: "late:missing" }] } }
---
apiVersion: batch/v1
kind: Job
metadata: { name: count }
spec:
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: count:1
          command: ["sh", "-c", "for i in 1 2 3 4 5; do echo old $i; done; sleep 6; echo new 1; sleep 2; echo -n new 2"]
`;

const requests = openLogRequests();
let slipway: Slipway;
let client: ClusterClient;
const streams: OpenStream[] = [];

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0, settings: { SLIPWAY_READY_SECONDS: "1" } });
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  client = connect({ kind: "kubeconfig", text, trusted: true });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).text).toBe(success);
  const service = { service_name: "all", yaml: manifest };
  const raw = "/openapi/service/yaml/raw?projectKey=shop";
  expect((await slipway.call("POST", raw, { body: service })).text).toBe(success);
  const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "all" }] };
  expect((await slipway.call("POST", "/openapi/environments?projectKey=shop", { body })).text).toBe(success);
  await waitFor("the Job to run", () => podOf("count", "Running"));
});

afterEach(async () => {
  vi.useRealTimers();
  for (const stream of streams.splice(0)) stream.leave();
  await waitFor("the cluster to send no log any more", async () => requests.count() === 0);
});

afterAll(async () => {
  requests.stop();
  client.close();
  await slipway.close();
});

async function podOf(workload: string, phase: string): Promise<string | undefined> {
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace: "shop-dev" });
  const found = items.find(
    ({ metadata, ...pod }) =>
      metadata.name.startsWith(`${workload}-`) && JSON.stringify(pod).includes(`"phase":"${phase}"`),
  );
  return found?.metadata.name;
}

const pathTo = (pod: string, query = ""): string =>
  `/openapi/logs/sse/pods/${pod}/containers/main?projectKey=shop&envName=dev${query}`;

async function follow(workload: string, query = "", lastEventId?: string): Promise<OpenStream> {
  const pod = await waitFor(`a pod of ${workload}`, () => podOf(workload, "Running"));
  const stream = await openStream(slipway.runtime.url, pathTo(pod, query), { lastEventId });
  expect(stream.status, stream.text()).toBe(200);
  streams.push(stream);
  return stream;
}

describe("the log of a container that runs", () => {
  test("comes from its tail on, while it is written, and ends when the container stops", async () => {
    const since = await follow("count", "&since=1h");
    const old = ["old 1", "old 2", "old 3", "old 4", "old 5"];
    expect(await since.lines(5)).toEqual(old);
    const [two, none] = await Promise.all([follow("count", "&tails=2"), follow("count", "&tails=0")]);
    expect(await two.lines(2)).toEqual(["old 4", "old 5"]);
    expect(two.hasEnded()).toBe(false);
    expect((await two.lines(3)).at(-1)).toBe("new 1");
    expect(two.hasEnded()).toBe(false);
    for (const stream of [two, none, since]) await stream.ended();
    expect(two.events().map(({ data }) => data)).toEqual(["old 4", "old 5", "new 1", "new 2"]);
    expect(none.events().map(({ data }) => data)).toEqual(["new 1", "new 2"]);
    expect(since.events().map(({ data }) => data)).toEqual([...old, "new 1", "new 2"]);
    const done = await waitFor("the Job to be done", () => podOf("count", "Succeeded"));
    const again = await slipway.call("GET", pathTo(done, "&tails=1"));
    const ids = since.ids();
    for (const [at, lastEventId] of ids.entries()) {
      const rest = await openStream(slipway.runtime.url, pathTo(done), { lastEventId });
      await rest.ended();
      expect(rest.ids()).toEqual(ids.slice(at + 1));
    }
    expect(again.text).toMatch(/^id:\S+Z\.0\nevent:message\ndata:new 2\n\n$/);
  });

  test("ends when the pod is deleted", async () => {
    const stream = await follow("web");
    expect(await stream.lines(1)).toEqual([playedLine]);
    const name = (await podOf("web", "Running")) ?? "";
    await client.remove({ apiVersion: "v1", kind: "Pod", name, namespace: "shop-dev" });
    await stream.ended();
    expect(stream.events().map(({ event }) => event)).toEqual(["message"]);
  });
});

test("a container that did not start yet is refused with the reason", async () => {
  const pod = await waitFor("the pod that cannot start", () => podOf("late", "Pending"));
  const { status, json } = await slipway.call<{ code: number; description: string }>("GET", pathTo(pod));
  expect([status, json.code]).toEqual([400, 6153]);
  expect(json.description).toContain(
    `container "main" in pod "${pod}" is waiting to start: trying and failing to pull image`,
  );
});

/** Time that passes as the test says, for what comes again and again. */
function beats() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  return (seconds: number) => vi.advanceTimersByTime(seconds * 1000);
}

describe("time on one machine", () => {
  test("is passed with a comment every 15 seconds, for as long as the client stays", async () => {
    const pass = beats();
    const stream = await follow("web");
    await stream.lines(1);
    const comments = (): number => stream.text().split(":\n\n").length - 1;
    pass(14.9);
    expect(comments()).toBe(0);
    pass(0.1);
    await waitFor("the first comment", async () => comments() === 1);
    pass(60 * 60 - 15);
    await waitFor("a comment every 15 seconds", async () => comments() === 240);
    expect(stream.hasEnded()).toBe(false);
    expect(stream.events()).toEqual([{ event: "message", data: playedLine }]);
  });
});

describe("where streams have an end and a number, as in AWS", () => {
  const settings = { SLIPWAY_STREAM_SECONDS: "120", SLIPWAY_OPEN_STREAMS: "2" };

  beforeEach(() => {
    Object.assign(process.env, settings);
    removeConfig();
  });

  afterEach(() => {
    for (const name of Object.keys(settings)) delete process.env[name];
    removeConfig();
  });

  test("a stream ends after 120 seconds, and the next one goes on behind its last line", async () => {
    const pass = beats();
    const stream = await follow("web");
    await stream.lines(1);
    pass(105);
    expect(stream.hasEnded()).toBe(false);
    pass(15);
    await stream.ended();
    expect(stream.text()).toMatch(/:\n\nretry:1000\n\n$/);
    expect(stream.events()).toEqual([{ event: "message", data: playedLine }]);
    const [lastEventId] = stream.ids();
    const next = await follow("web", "&tails=5", lastEventId);
    pass(120);
    await next.ended();
    expect(next.events()).toEqual([]);
  });

  test("one too many is refused with 429 until another ends, or one that crashed runs out", async () => {
    const [one, two] = await Promise.all([follow("web"), follow("web")]);
    const path = pathTo((await podOf("web", "Running")) ?? "");
    const refused = await slipway.call<{ code: number; description: string }>("GET", path);
    expect([refused.status, refused.json.code, refused.headers.get("retry-after")]).toEqual([429, 429, "5"]);
    expect(refused.json.description).toContain("2 streams are open");
    expect((await slipway.call("GET", path.replace("/web-", "/absent-"))).status).toBe(429);
    one?.leave();
    await waitFor("its place to be free", async () => {
      const stream = await openStream(slipway.runtime.url, path);
      streams.push(stream);
      return stream.status === 200;
    });
    two?.leave();
  });

  test("a place whose stream crashed is free when its time has run out, and a refused request takes none", async () => {
    await waitFor("all places to be free", async () => (await openPlaces()) === 0);
    expect(await takeStreamPlace(1, -2)).toBeDefined();
    const place = await takeStreamPlace(1, 60);
    expect(place).toBeDefined();
    expect(await takeStreamPlace(1, 60)).toBeUndefined();
    if (place !== undefined) await leaveStreamPlace(place);
    const path = pathTo("absent");
    for (let tries = 0; tries < 3; tries++) expect((await slipway.call("GET", path)).status).toBe(404);
    expect(await openPlaces()).toBe(0);
  });

  test("never more than that, however many come at once", async () => {
    const taken = await Promise.all(Array.from({ length: 12 }, () => takeStreamPlace(3, 60)));
    const places = taken.filter((place) => place !== undefined);
    expect(places.map(({ place }) => place).sort()).toEqual([0, 1, 2]);
    await Promise.all(places.map(leaveStreamPlace));
    expect(await openPlaces()).toBe(0);
  });
});

async function openPlaces(): Promise<number> {
  return (await table().query({ pk: keys.openStream(0).pk })).length;
}
