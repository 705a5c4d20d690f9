import { AppsV1Api, CoreV1Api, KubernetesObjectApi, Watch } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configMap, deployment, eventually, type Harness, startHarness } from "./harness.ts";

describe("the sandbox with @kubernetes/client-node", () => {
  let harness: Harness;
  let core: CoreV1Api;
  let apps: AppsV1Api;
  beforeAll(async () => {
    harness = await startHarness();
    core = harness.config.makeApiClient(CoreV1Api);
    apps = harness.config.makeApiClient(AppsV1Api);
  });
  afterAll(() => harness.stop());

  it("creates, reads, replaces and deletes an object", async () => {
    const made = await core.createNamespacedConfigMap({ namespace: "default", body: configMap("crud", { a: "1" }) });
    expect(made.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    made.data = { a: "2" };
    const replaced = await core.replaceNamespacedConfigMap({ namespace: "default", name: "crud", body: made });
    expect(replaced.data).toEqual({ a: "2" });
    expect(Number(replaced.metadata?.resourceVersion)).toBeGreaterThan(Number(made.metadata?.resourceVersion));
    await core.deleteNamespacedConfigMap({ namespace: "default", name: "crud" });
    await expect(core.readNamespacedConfigMap({ namespace: "default", name: "crud" })).rejects.toMatchObject({
      code: 404,
    });
  });

  it("brings a Deployment to its replicas and reports it available", async () => {
    await apps.createNamespacedDeployment({ namespace: "default", body: deployment("web", 2) });
    const ready = await eventually(
      () => apps.readNamespacedDeployment({ namespace: "default", name: "web" }),
      (found) => found.status?.readyReplicas === 2,
    );
    expect(ready.status?.observedGeneration).toBe(1);
    expect(ready.status?.conditions?.find((c) => c.type === "Available")?.status).toBe("True");
    const pods = await core.listNamespacedPod({ namespace: "default", labelSelector: "app=web" });
    expect(pods.items.map((pod) => pod.metadata?.annotations?.["slipway.dev/sandbox"])).toEqual(["played", "played"]);
  });

  it("finds the kinds of arbitrary objects by discovery and applies them", async () => {
    const objects = KubernetesObjectApi.makeApiClient(harness.config);
    const made = await objects.create({ ...configMap("dynamic"), metadata: { name: "dynamic", namespace: "default" } });
    expect(made.metadata?.name).toBe("dynamic");
  });

  it("streams changes to a watch until it is aborted", async () => {
    const seen: string[] = [];
    const watch = new Watch(harness.config);
    const controller = await watch.watch(
      "/api/v1/namespaces/default/configmaps",
      { labelSelector: "watched=yes" },
      (type, object) => seen.push(`${type} ${object.metadata.name}`),
      () => {},
    );
    await core.createNamespacedConfigMap({ namespace: "default", body: configMap("seen", {}, { watched: "yes" }) });
    await core.createNamespacedConfigMap({ namespace: "default", body: configMap("unseen") });
    await core.deleteNamespacedConfigMap({ namespace: "default", name: "seen" });
    await eventually(
      () => seen,
      (list) => list.length >= 2,
    );
    controller.abort();
    expect(seen).toEqual(["ADDED seen", "DELETED seen"]);
  });
});
