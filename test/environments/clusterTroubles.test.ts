import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { selfSignedCertificate } from "../../infra/local/cluster/http/certificate.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { refusing } from "../functions/api/clusters/clusterFixtures.ts";
import { detailOf, environmentBody, untilStatus } from "../harness/boutique.ts";
import { type BrittleCluster, startBrittleCluster } from "../harness/brittleCluster.ts";
import { untilStored } from "../harness/environmentSuite.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Answer, type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

type Refusal = { code: number; description: string };

const success = '{"message":"success"}';
const environments = "/openapi/environments";
const services = ["web", "cache", "late"];
const folder = mkdtempSync(join(tmpdir(), "slipway-troubles-"));
const expired = expiredIdentity();

let cluster: BrittleCluster;
let slipway: Slipway;

beforeAll(async () => {
  cluster = await startBrittleCluster(join(folder, "cluster"), [expired.certificate]);
  const settings = { SLIPWAY_READY_SECONDS: "20" };
  slipway = await startSlipway({ dataDir: join(folder, "data"), kubeconfig: cluster.kubeconfig, settings });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await slipway.call("POST", "/openapi/projects/project", { body: project });
  for (const name of services) {
    const body = { service_name: name, yaml: deploymentYaml(name, `${name}:1`) };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body })).text).toBe(success);
  }
});

afterAll(async () => {
  await slipway.close();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => cluster.mend());

function expiredIdentity(): { key: string; certificate: string } {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-01-01") });
  const identity = selfSignedCertificate("old");
  vi.useRealTimers();
  return identity;
}

/** What the cluster's address leads to until the test ends. */
async function replaceCluster(identity: { key: string; certificate: string }): Promise<void> {
  const message = 'configmaps is forbidden: User "system:serviceaccount:a:b" cannot get resource';
  const options = { key: identity.key, cert: identity.certificate };
  const server = createServer(options, refusing(403, "Forbidden", message)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await waitFor("the server to listen", async () => server.listening);
  await cluster.leadTo((server.address() as AddressInfo).port);
}

function create(envKey: string, names: readonly string[] = ["web"]): Promise<Answer<Refusal>> {
  const wanted = names.map((service_name) => ({ service_name, type: "k8s" }));
  const body = { ...environmentBody(envKey, `shop-${envKey}`), services: wanted };
  return slipway.call("POST", `${environments}?projectKey=shop`, { body });
}

function update(envKey: string, names: readonly string[]): Promise<Answer<Refusal>> {
  const body = { env_key: envKey, service_list: names.map((service_name) => ({ service_name })) };
  return slipway.call("PUT", `${environments}/service/yaml?projectKey=shop`, { body });
}

function remove(envKey: string, isDelete: boolean): Promise<Answer<Refusal>> {
  return slipway.call("DELETE", `${environments}/${envKey}?projectKey=shop&isDelete=${isDelete}`);
}

async function untilGone(envKey: string): Promise<void> {
  const path = `${environments}/${envKey}?projectKey=shop`;
  await waitFor(`${envKey} to be gone`, async () => (await slipway.call("GET", path)).status === 404);
}

async function namespaceStands(envKey: string): Promise<boolean> {
  const { items } = await cluster.client.list({ apiVersion: "v1", kind: "Namespace" });
  return items.some(({ metadata }) => metadata.name === `shop-${envKey}`);
}

/** Refused with the code of the creation and a reason, and nothing of it is left: the name can be used at once. */
async function refused(envKey: string, reason: RegExp): Promise<void> {
  const { status, json } = await create(envKey);
  expect({ status, code: json.code }).toEqual({ status: 400, code: 6074 });
  expect(json.description).toMatch(reason);
  expect((await slipway.call("GET", `${environments}/${envKey}?projectKey=shop`)).status).toBe(404);
  const { json: list } = await slipway.call<{ env_key: string }[]>("GET", `${environments}?projectKey=shop`);
  expect(list.map(({ env_key }) => env_key)).not.toContain(envKey);
}

describe("a creation is refused with the reason and leaves nothing", () => {
  test("when the cluster does not answer", async () => {
    await cluster.cut();
    await refused("cut", /the cluster does not answer .* check its address and that it runs/);
    await cluster.mend();
    expect(await namespaceStands("cut")).toBe(false);
    expect((await create("cut")).text).toBe(success);
    await untilStatus(slipway, "shop", "cut", "running");
  });

  test("when the cluster's credentials have no rights", async () => {
    await replaceCluster(cluster.identity);
    await refused("powerless", /the cluster refuses it .*is forbidden.* check the credentials and their rights/);
  });

  test("when the cluster's certificate has expired", async () => {
    await replaceCluster(expired);
    await refused("expired", /certificate has expired.* renew the certificate/);
  });

  test("while the namespace is being deleted", async () => {
    const ref = { apiVersion: "v1", kind: "ConfigMap", name: "held", namespace: "shop-leaving" };
    const { apiVersion, kind, ...metadata } = ref;
    await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop-leaving" } });
    const held = { apiVersion, kind, metadata: { ...metadata, finalizers: ["example.com/held"] } };
    await cluster.client.create(held);
    await cluster.client.remove({ apiVersion: "v1", kind: "Namespace", name: "shop-leaving" });
    await refused("leaving", /shop-leaving" is being deleted.* wait until it is gone/);
    await cluster.client.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } });
    await waitFor("the namespace to be gone", async () => !(await namespaceStands("leaving")));
  });

  test("when a field of an object is somebody else's, who is named with object and field", async () => {
    const namespace = "shop-foreign";
    await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const foreign = JSON.parse(deploymentYaml("web", "theirs:1"));
    foreign.metadata.namespace = namespace;
    await cluster.client.apply(foreign, { fieldManager: "argocd" });
    await refused("foreign", /Deployment "web".*conflict.*"argocd".*image/);
    const stands = await cluster.client.get({ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace });
    expect(JSON.stringify(stands)).toContain("theirs:1");
    expect(JSON.stringify(stands.metadata.labels ?? {})).not.toContain("slipway");
    expect(await namespaceStands("foreign")).toBe(true);
  });
});

/** After 2.5 seconds somebody who reads is told, whatever is still asked; a call by itself would wait for 15. */
const shortly = 8_000;

async function timed<T>(call: () => Promise<T>): Promise<{ answer: T; milliseconds: number }> {
  const began = performance.now();
  return { answer: await call(), milliseconds: performance.now() - began };
}

type Instance = { problems: { message: string; since: number }[] };

const instanceOf = (envKey: string, service: string) =>
  slipway.call<Instance>("GET", `${environments}/${envKey}/services/${service}?projectKey=shop`);

describe("a cluster that takes connections and never answers", () => {
  const atMost = 20_000;

  beforeAll(async () => {
    expect((await create("silent")).text).toBe(success);
    await untilStatus(slipway, "shop", "silent", "running");
  });

  beforeEach(async () => {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => void sockets.add(socket.on("error", () => {}))).listen(0, "127.0.0.1");
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await waitFor("the server to listen", async () => server.listening);
    await cluster.leadTo((server.address() as AddressInfo).port);
  });

  test("is told by detail, instance and drift within three seconds, beside what is stored", async () => {
    const base = `${environments}/silent`;
    const [detail, instance, drift] = await Promise.all([
      timed(() => detailOf(slipway, "shop", "silent")),
      timed(() => instanceOf("silent", "web")),
      timed(() => slipway.call<{ in_sync: boolean; error: string }>("GET", `${base}/drift?projectKey=shop`)),
    ]);
    expect(detail.answer).toMatchObject({ status: "unknown", stored_status: "success" });
    expect(detail.answer.error).toContain("the cluster does not answer");
    expect(detail.answer.services[0]?.containers[0]?.image).toBe("web:1");
    expect(instance.answer.json.problems[0]?.message).toContain("the cluster does not answer");
    expect(Math.abs((instance.answer.json.problems[0]?.since ?? 0) - Date.now() / 1000)).toBeLessThan(600);
    expect(drift.answer.json).toMatchObject({ in_sync: false, error: expect.stringContaining("does not answer") });
    for (const { milliseconds } of [detail, instance, drift]) expect(milliseconds).toBeLessThan(shortly);
  });

  test("is told as quickly by what has nothing stored to show: no empty list stands for one that is not known", async () => {
    const read = (path: string) => timed(() => slipway.call<Refusal>("GET", `${environments}${path}`));
    const answers = await Promise.all([
      read("/silent/service/web/pods?projectKey=shop"),
      read("/kube/events?projectKey=shop&envName=silent&name=web&type=Deployment"),
      read("/silent/envcfgs?projectKey=shop&type=ConfigMap"),
      read("/silent/envcfg/settings?projectKey=shop&type=ConfigMap"),
    ]);
    expect(answers.map(({ answer }) => [answer.status, answer.json.code])).toEqual([
      [400, 6085],
      [400, 6093],
      [400, 6088],
      [400, 6094],
    ]);
    for (const { answer, milliseconds } of answers) {
      expect(answer.json.description).toContain("the cluster does not answer");
      expect(milliseconds).toBeLessThan(shortly);
    }
  });

  test("costs a change twenty seconds at most, and its answer says so", async () => {
    const image = {
      ...{ product_name: "shop", env_name: "silent" },
      service_name: "web",
      name: "web",
      container_name: "main",
      image: "web:9",
    };
    const scale = {
      workload_type: "Deployment",
      workload_name: "web",
      target_replicas: 2,
      env_key: "silent",
      project_key: "shop",
    };
    const changes = await Promise.all([
      timed(() => update("silent", ["web"])),
      timed(() => create("mute")),
      timed(() =>
        slipway.call<Refusal>("POST", `${environments}/image/deployment/silent?projectKey=shop`, { body: image }),
      ),
      timed(() => slipway.call<Refusal>("POST", `${environments}/scale?projectKey=shop`, { body: scale })),
      timed(() => slipway.call<Refusal>("POST", `${environments}/silent/service/web/restart?projectKey=shop`)),
    ]);
    for (const { answer, milliseconds } of changes) {
      expect(answer.status).toBe(400);
      expect(answer.json.description).toContain("the cluster does not answer");
      expect(milliseconds).toBeLessThan(atMost);
    }
    expect((await slipway.call("GET", `${environments}/mute?projectKey=shop`)).status).toBe(404);
  });
});

describe("a cluster whose every answer takes long", () => {
  test("is told by detail and instance as quickly as a silent one, however many questions they have", async () => {
    const body = { service_name: "frail", yaml: deploymentYaml("frail", "frail:crash") };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body })).text).toBe(success);
    expect((await create("frail", ["frail"])).text).toBe(success);
    await waitFor("the crash", async () => (await instanceOf("frail", "frail")).json.problems.length > 0);
    expect((await create("emptied")).text).toBe(success);
    await untilStatus(slipway, "shop", "emptied", "running");
    await cluster.client.remove({ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop-emptied" });
    await untilStatus(slipway, "shop", "emptied", "unstable");

    // Less than each call may take: the second one is too much.
    cluster.slow(2_300);
    const [detail, instance] = await Promise.all([
      timed(() => detailOf(slipway, "shop", "emptied")),
      timed(() => instanceOf("frail", "frail")),
    ]);
    expect(detail.answer).toMatchObject({
      status: "unknown",
      error: expect.stringContaining("the cluster does not answer"),
    });
    expect(instance.answer.json.problems.at(-1)?.message).toContain("the cluster does not answer");
    for (const { milliseconds } of [detail, instance]) expect(milliseconds).toBeLessThan(shortly);
  });
});

describe("a cluster that is gone in the middle", () => {
  test("of a creation ends it as failed, naming service and reason; an update later applies what is missing", async () => {
    const cut = cluster.cutAt(({ method, path }) => method === "PATCH" && path.includes("/deployments/"));
    expect((await create("half", services)).text).toBe(success);
    await cut;
    await untilStored(slipway, "half", "failed");
    const failed = await detailOf(slipway, "shop", "half");
    expect(failed.status).toBe("error");
    expect(failed.error).toMatch(
      /service (web|cache|late): .*(cannot reach the cluster|the cluster does not answer|could not be read in time)/,
    );
    await cluster.mend();
    expect((await update("half", services)).text).toBe(success);
    const mended = await untilStatus(slipway, "shop", "half", "running");
    expect(mended.error).toBe("");
    expect(mended.services.map(({ error }) => error)).toEqual(["", "", ""]);
  });

  test("of an update or a deletion ends it with the reason, and both can be asked for again", async () => {
    await create("updated");
    await create("deleted");
    await untilStatus(slipway, "shop", "updated", "running");
    await untilStatus(slipway, "shop", "deleted", "running");
    const yaml = deploymentYaml("web", "web:2");
    await slipway.call("PUT", "/openapi/service/yaml/web?projectKey=shop", { body: { type: "k8s", yaml } });
    await cluster.cut();
    const early = await update("updated", ["web"]);
    expect({ status: early.status, code: early.json.code }).toEqual({ status: 400, code: 6076 });
    expect(early.json.description).toContain("the cluster does not answer");
    expect((await detailOf(slipway, "shop", "updated")).stored_status).toBe("success");
    expect((await remove("deleted", true)).text).toBe(success);
    await untilStored(slipway, "deleted", "unknown");
    const { error, status } = await detailOf(slipway, "shop", "deleted");
    expect(status).toBe("unknown");
    expect(error).toContain("the cluster does not answer");

    await cluster.mend();
    expect((await remove("deleted", true)).text).toBe(success);
    await untilGone("deleted");
    await waitFor("the namespace to be gone", async () => !(await namespaceStands("deleted")));
    expect((await update("updated", ["web"])).text).toBe(success);
    await untilStored(slipway, "updated", "success");
  });

  test("of a sleep or a wake leaves no count forgotten: both can be asked for again, and nothing else until then", async () => {
    const turn = (what: "sleep" | "wake") => slipway.call("POST", `${environments}/tired/${what}?projectKey=shop`);
    const replicas = async () => {
      const { items } = await cluster.client.list(
        { apiVersion: "apps/v1", kind: "Deployment" },
        { namespace: "shop-tired" },
      );
      return items.map((object) => at(object, ["spec", "replicas"])).sort();
    };
    const cutAtPatch = () =>
      cluster.cutAt(({ method, path }) => method === "PATCH" && path.includes("/shop-tired/deployments/"));
    await create("tired", services);
    await untilStored(slipway, "tired", "success");
    for (const [name, count] of [
      ["web", 2],
      ["cache", 3],
    ] as const) {
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name, namespace: "shop-tired" };
      await cluster.client.patch(ref, { type: "merge", body: { spec: { replicas: count } } });
    }

    const cutAsleep = cutAtPatch();
    expect((await turn("sleep")).text).toBe(success);
    await cutAsleep;
    await untilStored(slipway, "tired", "failed");
    expect((await detailOf(slipway, "shop", "tired")).error).toContain("the cluster does not answer");
    await cluster.mend();
    const early = await update("tired", ["web"]);
    expect({ status: early.status, code: early.json.code }).toEqual({ status: 400, code: 6076 });
    expect(early.json.description).toContain("did not fall asleep completely");
    expect((await turn("sleep")).text).toBe(success);
    await untilStored(slipway, "tired", "sleeping");
    expect(await replicas()).toEqual([0, 0, 0]);

    const cutAwake = cutAtPatch();
    expect((await turn("wake")).text).toBe(success);
    await cutAwake;
    await waitFor("the wake to fail", async () => {
      const { stored_status, error } = await detailOf(slipway, "shop", "tired");
      return stored_status === "sleeping" && error.includes("the cluster does not answer");
    });
    await cluster.mend();
    expect((await turn("wake")).text).toBe(success);
    await untilStored(slipway, "tired", "success");
    expect(await replicas()).toEqual([1, 2, 3]);
    expect((await detailOf(slipway, "shop", "tired")).error).toBe("");
    expect((await update("tired", ["web"])).text).toBe(success);
    await untilStored(slipway, "tired", "success");
  });

  test("does not keep the record of an environment that is deleted without its objects", async () => {
    await create("forgotten");
    await untilStored(slipway, "forgotten", "success");
    await cluster.cut();
    expect((await remove("forgotten", false)).text).toBe(success);
    await untilGone("forgotten");
  });
});
