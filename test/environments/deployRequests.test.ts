import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { recordAllStoreCalls, unrecorded } from "../../shared/base/store/storeCalls.ts";
import { findEnvironment } from "../../shared/environments/store/environments.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "../harness/boutique.ts";
import { recordClusterRequests } from "../harness/clusterRequests.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const environments = "/openapi/environments";
const success = '{"message":"success"}';

let slipway: Slipway;
let kubeconfig: string;
let authority: string;

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  kubeconfig = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  authority = new URL(/server: (\S+)/.exec(kubeconfig)?.[1] ?? "").host;
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await ask("POST", "/openapi/projects/project", project);
});

afterAll(() => slipway.close());

async function ask(method: string, path: string, body: unknown): Promise<void> {
  expect((await slipway.call(method, `${path}?projectKey=shop`, { body })).text).toBe(success);
}

function define(method: "POST" | "PUT", service: string, yaml: string): Promise<void> {
  const place = method === "POST" ? "raw" : service;
  return ask(method, `/openapi/service/yaml/${place}`, { service_name: service, type: "k8s", yaml });
}

function create(envKey: string, services: readonly string[]): Promise<void> {
  const body = { env_key: envKey, cluster_id: localClusterId, namespace: `shop-${envKey}` };
  return ask("POST", environments, { ...body, services: services.map((service_name) => ({ service_name })) });
}

/** What a change asks of cluster and table from its call to its end; asking whether it ended does not count. */
async function costOf(envKey: string, call: () => Promise<void>) {
  const { result, calls } = await recordAllStoreCalls(() =>
    recordClusterRequests(authority, async () => {
      await call();
      const status = async () => (await unrecorded(() => findEnvironment("shop", envKey)))?.status;
      await waitFor(`the change of ${envKey} to end`, async () => (await status()) === "success");
    }),
  );
  return { verbs: result.requests.verbs, calls: calls.length };
}

/** Half ConfigMaps, half Secrets: nothing whose readiness is waited for. */
const objects = (count: number, version: number, prefix = "object"): string =>
  Array.from({ length: count }, (_, at) => {
    const [kind, field] = at % 2 === 0 ? ["ConfigMap", "data"] : ["Secret", "stringData"];
    return `apiVersion: v1\nkind: ${kind}\nmetadata: { name: ${prefix}-${at} }\n${field}: { version: "${version}" }\n`;
  }).join("---\n");

describe("requests to the cluster", () => {
  const kinds = 2;
  const count = 200;
  /** Of the environment itself: its namespace is looked at, its pull secret is renewed. */
  const [namespace, pullSecret] = [1, 1];

  test("of a service of 200 objects: what differs is applied, everything else is read by kind", async () => {
    await define("POST", "bulk", objects(count, 1));
    await costOf("bulk", () => create("bulk", []));
    const body = { env_key: "bulk", service_list: [{ service_name: "bulk" }] };
    const first = await costOf("bulk", () => ask("POST", `${environments}/service/yaml`, body));
    // Whose objects stand there, who has fields without being us, and once more when they are applied.
    expect(first.verbs).toEqual({ get: namespace, list: 3 * kinds, apply: pullSecret + count });
    const update = () => costOf("bulk", () => ask("PUT", `${environments}/service/yaml`, body));
    expect((await update()).verbs).toEqual({ get: namespace, list: 2 * kinds, apply: pullSecret });
    await define("PUT", "bulk", objects(count, 2));
    expect((await update()).verbs).toEqual({ get: namespace, list: 2 * kinds, apply: pullSecret + count });
  });

  test("of an adoption: what others left is found by kind too", async () => {
    await define("POST", "left", objects(count, 1, "left"));
    await costOf("leaving", () => create("leaving", ["left"]));
    const kubectl = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
    for (const kind of ["ConfigMap", "Secret"]) {
      const query = { namespace: "shop-leaving", labelSelector: "slipway.dev/service=left" };
      const { items } = await kubectl.list({ apiVersion: "v1", kind }, query);
      for (const { metadata } of items) {
        const body = { metadata: { labels: { "slipway.dev/environment": null, "slipway.dev/service": null } } };
        await kubectl.patch(
          { apiVersion: "v1", kind, name: metadata.name, namespace: "shop-leaving" },
          { type: "merge", body },
        );
      }
    }
    kubectl.close();
    const body = { env_key: "leaving", service_list: [{ service_name: "left" }] };
    const { verbs } = await costOf("leaving", () => ask("PUT", `${environments}/service/yaml`, body));
    expect(verbs).toEqual({ get: namespace, list: 3 * kinds, apply: pullSecret + count });
  });

  test("of many services: eight of them read what one reads, and the table is asked little for each", async () => {
    const costs = [];
    for (const services of [16, 48]) {
      const names = Array.from({ length: services }, (_, at) => `of-${services}-${at}`);
      for (const name of names) await define("POST", name, objects(kinds, 1, name));
      const envKey = `of-${services}`;
      const created = await costOf(envKey, () => create(envKey, names));
      for (const name of names) await define("PUT", name, objects(kinds, 2, name));
      const body = { env_key: envKey, service_list: names.map((service_name) => ({ service_name })) };
      const updated = await costOf(envKey, () => ask("PUT", `${environments}/service/yaml`, body));
      const readings = services / 8;
      const applied = pullSecret + services * kinds;
      expect(created.verbs).toEqual({ get: namespace, create: 1, list: (2 + readings) * kinds, apply: applied });
      expect(updated.verbs).toEqual({ get: namespace, list: (1 + readings) * kinds, apply: applied });
      costs.push({ created, updated });
    }
    // Each is noted in a transaction, and its version counted.
    for (const [few, many] of [
      [costs[0]?.created, costs[1]?.created],
      [costs[0]?.updated, costs[1]?.updated],
    ])
      expect(((many?.calls ?? 0) - (few?.calls ?? 0)) / 32).toBeLessThanOrEqual(5);
  });
});
