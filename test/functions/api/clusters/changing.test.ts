import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { references } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create, remove } from "../../../../shared/base/store/writes.ts";
import { type ClusterCalls, localId, path, type Refusal, startForClusters } from "./clusterCalls.ts";
import { kubeconfig, oneNamespace, serve } from "./clusterFixtures.ts";

let slipway: ClusterCalls;

beforeAll(async () => {
  slipway = await startForClusters();
});

afterAll(() => slipway.close());

describe("changing a cluster", () => {
  test("what is not given stays, an empty list of projects means nobody", async () => {
    const cluster = await slipway.register("changing", { description: "before", project_names: ["shop"] });
    const at = `${path}/${cluster.cluster_id}`;
    const change = async (body: object) => {
      expect((await slipway.call("PUT", at, { body })).json).toEqual({ message: "success" });
      return (await slipway.list()).find(({ cluster_id }) => cluster_id === cluster.cluster_id);
    };
    expect(await change({})).toEqual(cluster);
    expect(await change({ name: null, description: null, project_names: null })).toEqual(cluster);
    expect(await change({ description: "after" })).toEqual({ ...cluster, description: "after" });
    expect(await change({ name: "changed", description: "" })).toEqual({
      ...cluster,
      name: "changed",
      description: "",
    });
    expect(await change({ project_names: [] })).toMatchObject({ name: "changed", project_names: [] });
    expect(await change({ ...cluster, status: "pending", local: true, production: true, type: "agent" })).toEqual(
      cluster,
    );
    // The old name is free again.
    await slipway.register("changed");
  });

  test("a name that is taken is 6642 and changes nothing, a wrong one is 400, an unknown cluster 404", async () => {
    const cluster = await slipway.register("keeps-its-name");
    const at = `${path}/${cluster.cluster_id}`;
    const body = { name: "local", project_names: ["other"] };
    expect((await slipway.call("PUT", at, { body })).json).toMatchObject({
      code: 6642,
      message: "failed to update cluster",
    });
    expect((await slipway.call("PUT", at, { body: { name: "a b" } })).json).toMatchObject({ code: 400 });
    expect(await slipway.named("keeps-its-name")).toEqual(cluster);
    const unknown = await slipway.call("PUT", `${path}/0123456789abcdef00000000`, { body });
    expect(unknown.json).toMatchObject({ code: 404 });
    expect((await slipway.call("PUT", `${path}/nonsense`, { body })).status).toBe(404);
  });

  test("a new kubeconfig is checked like the first, and the cluster is used with it from then on", async () => {
    const cluster = await slipway.register("rotating");
    const at = `${path}/${cluster.cluster_id}`;
    const api = await serve(oneNamespace);
    const wrong = await slipway.call<Refusal>("PUT", at, { body: { kube_config: kubeconfig("https://127.0.0.1:9") } });
    expect(wrong.json.extra.problems?.[0]?.path).toBe("kube_config");
    const check = `/openapi/cluster/istio/check/${cluster.cluster_id}`;
    expect((await slipway.call("GET", check)).json).toBe(false);
    expect(api.requests()).toBe(0);
    expect((await slipway.call("PUT", at, { body: { kube_config: kubeconfig(api.url) } })).status).toBe(200);
    await slipway.call("GET", check);
    expect(api.requests()).toBe(2);
    const local = await slipway.call<Refusal>("PUT", `${path}/${localId}`, { body: { kube_config: slipway.sandbox } });
    expect(local.json.description).toContain("follows the setting of the installation");
  });
});

describe("deleting a cluster", () => {
  test("it is forgotten with its name, and deleting it again succeeds", async () => {
    const { cluster_id: id } = await slipway.register("short-lived");
    for (const _ of ["first", "again"]) {
      expect((await slipway.call("DELETE", `${path}/${id}`)).json).toEqual({ message: "success" });
    }
    expect(await slipway.named("short-lived")).toBeUndefined();
    expect((await slipway.istio(id)).status).toBe(404);
    await slipway.register("short-lived");
  });

  test("while an environment stands on it, it is 6644 that names the environment", async () => {
    const { cluster_id: id } = await slipway.register("in-use");
    const environment = { pk: "environment#shop#dev", sk: "env" };
    await table().write(
      create({ ...environment, type: "environment", refPk: references.cluster(id), refSk: "shop-dev#1" }),
    );
    const refusal = await slipway.call<Refusal>("DELETE", `${path}/${id}`);
    expect(refusal.json).toMatchObject({ code: 6644, description: expect.stringContaining("dev of project shop") });
    expect(await slipway.named("in-use")).toBeDefined();
    await table().write(remove(environment));
    expect((await slipway.call("DELETE", `${path}/${id}`)).status).toBe(200);
  });

  test("the machine's own cluster is refused", async () => {
    expect((await slipway.call("DELETE", `${path}/${localId}`)).json).toMatchObject({ code: 6644 });
    expect(await slipway.named("local")).toBeDefined();
  });
});
