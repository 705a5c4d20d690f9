import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { followEvents } from "../../../../functions/api/events/followEvents.ts";
import { hashToken } from "../../../../shared/access/identity/session/tokenText.ts";
import { recordStoreCalls } from "../../../../shared/base/store/storeCalls.ts";
import type { ClusterClient } from "../../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { localClusterId, untilStatus } from "../../../harness/boutique.ts";
import { type BrittleCluster, startBrittleCluster } from "../../../harness/brittleCluster.ts";
import { recordClusterRequests } from "../../../harness/clusterRequests.ts";
import { messagesOf, type OpenStream, OpenStreams } from "../../../harness/eventStream.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import { newPerson } from "../../../harness/people.ts";
import { adminToken, type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { policyCalls } from "../policy/policyCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let client: ClusterClient;
let brittle: BrittleCluster;
const brittleDir = mkdtempSync(join(tmpdir(), "slipway-brittle-"));
const streams = new OpenStreams();

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  client = connect({
    ...{ kind: "kubeconfig", trusted: true },
    text: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"),
  });
  await send("POST", "/openapi/projects/project", {
    ...{ project_name: "Shop", project_key: "shop", project_type: "yaml", is_public: false },
  });
  for (const service_name of ["web", "api"])
    await send("POST", "/openapi/service/yaml/raw?projectKey=shop", {
      ...{ service_name, yaml: deploymentYaml(service_name, `${service_name}:1`) },
    });
  await makeEnvironment("dev", "web", localClusterId);
  await makeEnvironment("other", "api", localClusterId);
});

afterEach(() => streams.leave());

afterAll(async () => {
  client?.close();
  await slipway?.close();
  await brittle?.close();
  rmSync(brittleDir, { recursive: true });
});

async function send<T>(method: string, path: string, body: object): Promise<T> {
  const { status, text, json } = await slipway.call<T>(method, path, { body });
  expect(status, text).toBe(200);
  return json;
}

async function makeEnvironment(env_key: string, service_name: string, cluster_id: string): Promise<void> {
  const placed = { env_key, cluster_id, registry_id: "0123456789abcdef12345679", namespace: `shop-${env_key}` };
  await send("POST", "/openapi/environments?projectKey=shop", { ...placed, services: [{ service_name }] });
  await untilStatus(slipway, "shop", env_key, "running");
}

function follow(environment: string, token = adminToken): Promise<OpenStream> {
  const path = `/openapi/events/stream?environment=${encodeURIComponent(environment)}`;
  return streams.open(slipway.runtime.url, path, { token });
}

interface Told {
  id: string;
  type: string;
  project_key: string;
  key: string;
  state: string;
}

const told = (stream: OpenStream): Told[] => messagesOf<Told>(stream).filter(({ type }) => type === "services");

const statesOf = (stream: OpenStream): string[] => told(stream).map(({ state }) => state);
const until = (stream: OpenStream, states: readonly string[], seconds = 10) =>
  waitFor(`${states.join(", ")} in ${stream.text()}`, async () => statesOf(stream).join() === states.join(), seconds);

async function followed(environment: string, token?: string): Promise<OpenStream> {
  const stream = await follow(environment, token);
  await until(stream, ["followed"]);
  return stream;
}

const podsOf = async (namespace: string): Promise<string[]> =>
  (await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace })).items.map(({ metadata }) => metadata.name);

async function removePod(namespace: string): Promise<void> {
  const [name = ""] = await podsOf(namespace);
  await client.remove({ apiVersion: "v1", kind: "Pod", name, namespace });
}

const scale = (replicas: number) =>
  client.patch(
    { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop-dev" },
    { type: "merge", body: { spec: { replicas } } },
  );

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("that services of an environment changed", () => {
  test("is told at once when a pod is replaced, to who follows this environment alone", async () => {
    const [dev, other] = await Promise.all([followed("shop/dev"), followed("shop/other")]);
    const begun = performance.now();
    await removePod("shop-dev");
    await waitFor("the pod to be told", async () => statesOf(dev).includes("changed"), 10);
    expect(performance.now() - begun).toBeLessThan(5000);
    const [, changed] = told(dev);
    expect(changed).toEqual({
      ...{ id: expect.stringMatching(/^\d{13}\.[0-9a-f]{8}$/), type: "services" },
      ...{ project_key: "shop", key: "dev", state: "changed" },
    });
    await pause(2000);
    expect(statesOf(other)).toEqual(["followed"]);
  });

  test("is told once a second however much changes, and not at all while nothing does", async () => {
    const stream = await followed("shop/dev");
    const begun = Date.now();
    for (const replicas of [6, 1, 5, 1, 4, 1]) {
      await scale(replicas);
      await pause(500);
    }
    await waitFor("one pod", async () => (await podsOf("shop-dev")).length === 1, 20);
    await pause(2000);
    const seconds = (Date.now() - begun) / 1000;
    const states = statesOf(stream);
    expect(states.length).toBeGreaterThan(2);
    expect(states.length).toBeLessThanOrEqual(seconds + 2);
    const times = told(stream).map(({ id }) => Number(id.slice(0, 13)));
    for (const [at, time] of times.slice(1).entries()) expect(time - (times[at] ?? 0)).toBeGreaterThanOrEqual(990);
    await pause(3000);
    expect(statesOf(stream)).toEqual(states);
  });

  test("goes on after a stream was opened again behind what it told", async () => {
    const first = await followed("shop/dev");
    const lastEventId = told(first)[0]?.id;
    first.leave();
    const path = "/openapi/events/stream?environment=shop/dev";
    const again = await streams.open(slipway.runtime.url, path, { lastEventId });
    await until(again, ["followed"]);
    expect(again.text()).not.toContain('"reset"');
  });

  test("is told beside the changes of the projects that were asked for", async () => {
    const path = "/openapi/events/stream?projectKey=elsewhere&environment=shop/dev";
    const stream = await streams.open(slipway.runtime.url, path);
    await until(stream, ["followed"]);
  });
});

describe("who is told", () => {
  test("nobody who may not read the environment, who hears the same as of one that is not there", async () => {
    const stranger = await newPerson("stranger");
    const [theirs, none] = await Promise.all([follow("shop/dev", stranger.token), follow("shop/nowhere")]);
    await until(theirs, ["lost"]);
    await until(none, ["lost"]);
    await removePod("shop-dev");
    await pause(2500);
    expect(statesOf(theirs)).toEqual(["lost"]);
  });

  test("whoever loses the right hears that, and nothing more", async () => {
    const { createRole, bind, unbind } = policyCalls(slipway);
    const person = await newPerson("leaver");
    await createRole("shop", "looker", ["get_environment"]);
    await bind("shop", "looker", { uid: person.uid });
    const stream = await followed("shop/dev", person.token);
    await unbind("shop", "user", person.uid);
    await removePod("shop-dev");
    await until(stream, ["followed", "lost"]);
    await removePod("shop-dev");
    await pause(2500);
    expect(statesOf(stream)).toEqual(["followed", "lost"]);
  });

  test.each(["dev", "shop/", "/dev", "shop/dev/web"])("%s names no environment", async (environment) => {
    const path = `/openapi/events/stream?environment=${encodeURIComponent(environment)}`;
    const { status, json } = await slipway.call<{ description: string }>("GET", path);
    expect([status, json.description]).toEqual([400, expect.stringContaining("such as shop/dev")]);
  });

  test("no change of services where the stream ends as soon as all was told", async () => {
    const { text } = await slipway.call("GET", "/openapi/events/stream?once=true&environment=shop/dev");
    expect(text).not.toContain("services");
  });
});

describe("what it costs", () => {
  test("six watches of a cluster for all that follow something on it, until the last one left", async () => {
    const { host } = new URL(
      /server: (\S+)/.exec(readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"))?.[1] ?? "",
    );
    const { requests } = await recordClusterRequests(host, async () => {
      const first = await followed("shop/dev");
      const others = await Promise.all([followed("shop/dev"), followed("shop/other")]);
      first.leave();
      await removePod("shop-dev");
      await waitFor("a change", async () => statesOf(others[0] as OpenStream).includes("changed"), 10);
    });
    expect(requests.verbs.watch).toBe(6);
    streams.leave();
    await pause(500);
    const { requests: anew } = await recordClusterRequests(host, () => followed("shop/dev"));
    expect(anew.verbs.watch).toBe(6);
  });

  test("a change takes as many units of the table as one request, and the query that is due anyway", async () => {
    const leaving = new AbortController();
    const asked = {
      after: undefined,
      tokenHash: hashToken(adminToken),
      once: false,
      isReplaced: async () => false,
      signal: leaving.signal,
    };
    const events = followEvents({ ...asked, environment: { projectKey: "shop", envKey: "dev" } });
    const untilTold = async (state: string) => {
      for await (const pieces of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) })
        if (pieces.some(({ bytes }) => bytes.toString().includes(`"state":"${state}"`))) return;
    };
    await untilTold("followed");
    await pause(1500);
    const { calls } = await recordStoreCalls(async () => {
      await removePod("shop-dev");
      await untilTold("changed");
    });
    leaving.abort();
    const units = calls.reduce((all, { capacityUnits }) => all + capacityUnits, 0);
    console.log(`a change of services: ${calls.length} calls, ${units} units`);
    expect(units).toBeLessThanOrEqual(6);
  });
});

describe("a cluster that cannot be watched", () => {
  test("is told, and that it is watched again", async () => {
    brittle = await startBrittleCluster(brittleDir);
    const body = { name: "brittle", type: "kubeconfig", kube_config: brittle.kubeconfig, project_names: ["shop"] };
    const { cluster } = await send<{ cluster: { cluster_id: string } }>("POST", "/openapi/system/cluster", body);
    await makeEnvironment("far", "api", cluster.cluster_id);
    const stream = await followed("shop/far");
    await brittle.cut();
    await until(stream, ["followed", "lost"], 60);
    await brittle.mend();
    await until(stream, ["followed", "lost", "followed"], 45);
  }, 120_000);
});
