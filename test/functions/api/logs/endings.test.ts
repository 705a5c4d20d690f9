import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { playedLine } from "../../../../infra/local/sandbox/pods/serve-log.ts";
import type { ClusterClient } from "../../../../shared/clients/kubernetes/ClusterClient.ts";
import { connect } from "../../../../shared/clients/kubernetes/connect.ts";
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

async function follow(workload: string, query = ""): Promise<OpenStream> {
  const pod = await waitFor(`a pod of ${workload}`, () => podOf(workload, "Running"));
  const stream = await openStream(slipway.runtime.url, pathTo(pod, query));
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
    expect(again.text).toBe("event:message\ndata:new 2\n\n");
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

describe("time", () => {
  test("is passed with a comment every 15 seconds, and ends the stream after 14 minutes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const stream = await follow("web");
    await stream.lines(1);
    const comments = (): number => stream.text().split(":\n\n").length - 1;
    vi.advanceTimersByTime(14_900);
    expect(comments()).toBe(0);
    vi.advanceTimersByTime(100);
    await waitFor("the first comment", async () => comments() === 1);
    vi.advanceTimersByTime(13 * 60_000 + 30_000);
    await waitFor("a comment every 15 seconds", async () => comments() === 55);
    expect(stream.hasEnded()).toBe(false);
    vi.advanceTimersByTime(15_000);
    await stream.ended();
    expect(stream.events()).toEqual([{ event: "message", data: playedLine }]);
  });
});
