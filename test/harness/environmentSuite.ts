import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, KindRef, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { ClusterNotFound } from "../../shared/kube/client/errors.ts";
import { boutique, type Caller, createBoutique, detailOf, environmentBody, untilStatus } from "./boutique.ts";
import { indexesShowAll } from "./indexesShowAll.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

/** A Slipway and the kubeconfig of the cluster that its environments stand on. */
export interface Standing {
  slipway: Slipway;
  kubeconfig: string;
}

const deployments: KindRef = { apiVersion: "apps/v1", kind: "Deployment" };
const environments = "/openapi/environments";
const success = '{"message":"success"}';

/** What environments do to a cluster, told by the cluster itself: the same on every cluster. */
export function environmentSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  const namespaces: string[] = [];

  const newNamespace = (): string => {
    const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
    namespaces.push(namespace);
    return namespace;
  };

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    await createBoutique(slipway, "shop");
  });

  afterAll(async () => {
    for (const name of namespaces) await client.remove({ apiVersion: "v1", kind: "Namespace", name });
    client.close();
    await slipway.close();
  });

  async function find(kind: string, name: string, namespace?: string): Promise<LiveObject | undefined> {
    const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
    try {
      return await client.get({ apiVersion, kind, name, ...(namespace !== undefined && { namespace }) });
    } catch (error) {
      if (error instanceof ClusterNotFound) return undefined;
      throw error;
    }
  }

  async function get(kind: string, name: string, namespace?: string): Promise<LiveObject> {
    const found = await find(kind, name, namespace);
    if (found === undefined) throw new Error(`there is no ${kind} ${name} in ${namespace ?? "the cluster"}`);
    return found;
  }

  /** Generation by name: rises when somebody changes what a deployment should be. */
  async function generations(namespace: string): Promise<Record<string, number | undefined>> {
    const { items } = await client.list(deployments, { namespace });
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.generation]));
  }

  async function imageOf(name: string, namespace: string): Promise<unknown> {
    const { spec } = await get("Deployment", name, namespace);
    return (spec as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers[0]?.image;
  }

  /** A new revision of a service, and the environment moved to it. */
  async function revise(envKey: string, service: string, edit: (yaml: string) => string): Promise<void> {
    const before = boutique.get(service) ?? "";
    const yaml = edit(before);
    const path = `/openapi/service/yaml/${service}?projectKey=shop`;
    expect((await slipway.call("PUT", path, { body: { type: "k8s", yaml } })).text).toBe(success);
    await update(envKey, service);
  }

  async function update(envKey: string, service: string): Promise<void> {
    const body = { env_key: envKey, service_list: [{ service_name: service }] };
    const answer = await slipway.call("PUT", `${environments}/service/yaml?projectKey=shop`, { body });
    expect(answer.text).toBe(success);
    await untilStored(slipway, envKey, "success");
  }

  async function create(body: object): Promise<Answer<{ code: number; description: string }>> {
    return slipway.call("POST", `${environments}?projectKey=shop`, { body });
  }

  async function remove(envKey: string, isDelete: boolean): Promise<void> {
    const path = `${environments}/${envKey}?projectKey=shop`;
    expect((await slipway.call("DELETE", `${path}&isDelete=${isDelete}`)).text).toBe(success);
    await waitFor(`${envKey} to be gone`, async () => (await slipway.call("GET", path)).status === 404, 90);
  }

  describe(`environments on ${cluster}`, () => {
    const namespace = newNamespace();

    test("Online Boutique runs: twelve deployments are ready, in its namespace alone", async () => {
      expect((await create(environmentBody("dev", namespace))).text).toBe(success);
      const detail = await untilStatus(slipway, "shop", "dev", "running", 120);
      expect(detail.services.map(({ status }) => status)).toEqual(Array(12).fill("running"));
      const list = await slipway.call<{ status: string }[]>("GET", `${environments}?projectKey=shop`);
      expect(list.json.map(({ status }) => status)).toEqual(["success"]);
      const { items } = await client.list(deployments, { labelSelector: "slipway.dev/environment,s-product=shop" });
      const inside = items.filter(({ metadata }) => metadata.namespace === namespace);
      expect(inside.map(({ metadata }) => metadata.name).sort()).toEqual([...boutique.keys()].sort());
      for (const { status } of inside) expect(status).toMatchObject({ readyReplicas: 1 });
      expect((await get("Namespace", namespace)).metadata.labels).toMatchObject({
        createdBy: "koderover",
        "s-product": "shop",
      });
    });

    test("a second environment in the namespace may not take an object of the first, and leaves nothing", async () => {
      const before = await generations(namespace);
      const services = [{ service_name: "redis-cart", type: "k8s" }];
      const refused = await create({ ...environmentBody("second", namespace), services });
      expect(refused.status).toBe(400);
      expect(refused.json.code).toBe(6074);
      expect(refused.json.description).toContain("resource ownership conflict");
      expect(refused.json.description).toContain('Deployment "redis-cart"');
      expect(refused.json.description).toContain('environment "dev" of project "shop"');
      expect((await slipway.call("GET", `${environments}/second?projectKey=shop`)).status).toBe(404);
      expect(await generations(namespace)).toEqual(before);
      expect((await create({ ...environmentBody("second", namespace), services: [] })).text).toBe(success);
      await untilStatus(slipway, "shop", "second", "succeeded");
      await remove("second", true);
      expect(await generations(namespace)).toEqual(before);
    });

    test("a new revision changes its service alone, and what it no longer holds is pruned", async () => {
      const before = await generations(namespace);
      expect(await find("Service", "frontend-external", namespace)).toBeDefined();
      await revise("dev", "frontend", (yaml) => {
        const documents = yaml.split(/^---$/m).filter((document) => !document.includes("name: frontend-external"));
        return documents.join("---").replace("frontend:v0.10.6", "frontend:v0.10.7");
      });
      expect(await imageOf("frontend", namespace)).toMatch(/\/frontend:v0\.10\.7$/);
      expect(await find("Service", "frontend-external", namespace)).toBeUndefined();
      expect(await find("Service", "frontend", namespace)).toBeDefined();
      expect(await find("ServiceAccount", "frontend", namespace)).toBeDefined();
      expect(await generations(namespace)).toEqual({ ...before, frontend: (before.frontend ?? 0) + 1 });
      await untilStatus(slipway, "shop", "dev", "running", 90);
    });

    test("an update brings back what was changed or deleted by hand, and leaves what was not", async () => {
      const at = { ...deployments, name: "adservice", namespace };
      const image = await imageOf("adservice", namespace);
      const container = { name: "server", image: "example.invalid/other:1" };
      const body = { spec: { template: { spec: { containers: [container] } } } };
      await client.patch(at, { type: "strategic", body });
      expect(await imageOf("adservice", namespace)).toBe("example.invalid/other:1");
      await client.remove({ apiVersion: "v1", kind: "Service", name: "adservice", namespace });
      await update("dev", "adservice");
      expect(await imageOf("adservice", namespace)).toBe(image);
      expect(await find("Service", "adservice", namespace)).toBeDefined();
      const before = await generations(namespace);
      const version = (await get("ServiceAccount", "adservice", namespace)).metadata.resourceVersion;
      await update("dev", "adservice");
      expect(await generations(namespace)).toEqual(before);
      expect((await get("ServiceAccount", "adservice", namespace)).metadata.resourceVersion).toBe(version);
    });

    test("drift of the boutique names the image, the variable and the replicas that were changed by hand", async () => {
      interface Drift {
        in_sync: boolean;
        objects: { name: string; state: string; fields: { path: string; live: unknown; manager: string }[] }[];
      }
      const driftOf = async () => {
        const answer = await slipway.call<Drift>("GET", `${environments}/dev/drift?projectKey=shop`);
        expect(answer.status).toBe(200);
        return answer.json;
      };
      expect(await driftOf()).toMatchObject({ in_sync: true, objects: [] });
      const byHand = async (name: string, spec: object) => {
        const object = { ...deployments, metadata: { name, namespace }, spec };
        await client.apply(object, { fieldManager: "by-hand", force: true });
      };
      const inContainer = (container: object) => ({
        template: { spec: { containers: [{ name: "server", ...container }] } },
      });
      await byHand("emailservice", inContainer({ image: "example.invalid/other:1" }));
      await byHand("currencyservice", inContainer({ env: [{ name: "PORT", value: "7001" }] }));
      await byHand("loadgenerator", { replicas: 3 });
      const { in_sync, objects } = await driftOf();
      expect(in_sync).toBe(false);
      const inside = "spec.template.spec.containers[name=server]";
      const fields = objects.map(({ name, fields }) => [
        name,
        fields.map(({ path, live, manager }) => [path, live, manager]),
      ]);
      expect(fields).toEqual([
        ["currencyservice", [[`${inside}.env[name=PORT].value`, "7001", "by-hand"]]],
        ["emailservice", [[`${inside}.image`, "example.invalid/other:1", "by-hand"]]],
        ["loadgenerator", [["spec.replicas", 3, "by-hand"]]],
      ]);
      for (const name of ["emailservice", "currencyservice", "loadgenerator"]) await update("dev", name);
      expect(await driftOf()).toMatchObject({ in_sync: true, objects: [] });
      expect((await get("Deployment", "loadgenerator", namespace)).spec).toMatchObject({ replicas: 1 });
      await untilStatus(slipway, "shop", "dev", "running", 90);
    });

    test("the pull secret holds the registry's login and follows its changes", async () => {
      const registry = { address: "http://127.0.0.1:1", provider: "native", namespace: "shop" };
      const keys = (secret_key: string) => ({ ...registry, access_key: "robot", secret_key });
      const path = "/openapi/system/registry";
      expect((await slipway.call("POST", path, { body: keys("first-key") })).status).toBe(200);
      await indexesShowAll();
      const listed = await slipway.call<{ registry_id: string; address: string }[]>("GET", path);
      const id = listed.json.find(({ address }) => address === registry.address)?.registry_id;
      const inside = newNamespace();
      const body = { ...environmentBody("pulling", inside), registry_id: id, services: [] };
      expect((await create(body)).text).toBe(success);
      const login = async () => {
        const { data } = (await get("Secret", "default-registry-secret", inside)) as { data?: Record<string, string> };
        return JSON.parse(Buffer.from(data?.[".dockercfg"] ?? "", "base64").toString());
      };
      expect(await login()).toMatchObject({ "127.0.0.1:1": { username: "robot", password: "first-key" } });
      // The refresh finds the environment by an index.
      await indexesShowAll();
      expect((await slipway.call("PUT", `${path}/${id}`, { body: keys("second-key") })).status).toBe(200);
      await waitFor("the new login", async () => (await login())["127.0.0.1:1"]?.password === "second-key");
      await untilStatus(slipway, "shop", "pulling", "succeeded");
      await remove("pulling", true);
      await namespaceGone(inside);
    });

    test("a namespace made by hand survives with its foreign objects and its labels", async () => {
      const foreign = newNamespace();
      const labels = { team: "payments", "s-product": "mine", createdBy: "hand" };
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: foreign, labels } });
      const metadata = { name: "foreign", namespace: foreign };
      await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { kept: "yes" } });
      const stands = async () => {
        const { metadata: own } = await get("Namespace", foreign);
        const map = await get("ConfigMap", "foreign", foreign);
        return { labels: own.labels, annotations: own.annotations, version: map.metadata.resourceVersion };
      };
      const before = await stands();
      const services = [{ service_name: "redis-cart", type: "k8s" }];
      expect((await create({ ...environmentBody("guest", foreign), services })).text).toBe(success);
      await untilStatus(slipway, "shop", "guest", "running", 90);
      await remove("guest", true);
      expect(await find("Deployment", "redis-cart", foreign)).toBeUndefined();
      expect(await find("Service", "redis-cart", foreign)).toBeUndefined();
      expect(await stands()).toEqual(before);
    });

    test("deletion with isDelete=false forgets the environment, and its workloads go on", async () => {
      const uids = async () => {
        const { items } = await client.list(deployments, { namespace });
        return items.map(({ metadata }) => [metadata.name, metadata.uid]);
      };
      const before = await uids();
      await remove("dev", false);
      expect(await uids()).toEqual(before);
      const { metadata } = await get("Namespace", namespace);
      expect(Object.keys(metadata.labels ?? {})).not.toEqual(expect.arrayContaining(["createdBy"]));
      expect(Object.keys(metadata.labels ?? {})).not.toEqual(expect.arrayContaining(["s-product"]));
      // What the environment left behind belongs to nobody: the next one takes it over, without a restart.
      expect((await create(environmentBody("heir", namespace))).text).toBe(success);
      await untilStatus(slipway, "shop", "heir", "running", 120);
      expect(await uids()).toEqual(before);
      await remove("heir", true);
      expect(await uids()).toEqual([]);
      expect(await find("Namespace", namespace), "the namespace was let go before").toBeDefined();
    });

    test("deletion with isDelete=true leaves no namespace that Slipway made", async () => {
      const own = newNamespace();
      expect((await create(environmentBody("brief", own))).text).toBe(success);
      await waitFor("the first deployments", async () => (await client.list(deployments, { namespace: own })).items[0]);
      await remove("brief", true);
      await namespaceGone(own);
    });
  });

  async function namespaceGone(name: string): Promise<void> {
    await waitFor(`namespace ${name} to be gone`, async () => (await find("Namespace", name)) === undefined, 60);
  }
}

/** Waits for a stored status, which says nothing about the workloads. */
export async function untilStored(caller: Caller, envKey: string, status: string, project = "shop"): Promise<void> {
  await waitFor(
    `${envKey} to be stored as ${status}`,
    async () => (await detailOf(caller, project, envKey)).stored_status === status,
    90,
  );
}
