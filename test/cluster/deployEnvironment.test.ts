import { describe, expect, it } from "vitest";
import { environmentDetailStatus, manifestReadiness } from "../../shared/environments/read/environmentDetailStatus.ts";
import { ensureNamespace, findNamespace } from "../../shared/kube/apply/ensureNamespace.ts";
import { applyPullSecret, pullSecret } from "../../shared/kube/apply/pullSecret.ts";
import { releaseNamespace, removeNamespace, removeUnusedNamespace } from "../../shared/kube/apply/releaseNamespace.ts";
import { removeObjects } from "../../shared/kube/apply/removeObjects.ts";
import { instanceDetail } from "../../shared/kube/live/instanceDetail.ts";
import { byService, readEnvironment } from "../../shared/kube/live/readEnvironment.ts";
import { serviceStatus } from "../../shared/kube/live/serviceStatus.ts";
import { type ReadinessOutcome, watchReadiness } from "../../shared/kube/live/watchReadiness.ts";
import { soleOwner } from "../harness/soleOwner.ts";
import { waitFor } from "../harness/waitFor.ts";
import { configMap, deployment, job, service, TestService, useCluster } from "./deployHarness.ts";

const cluster = useCluster();
const namespaceRef = (name: string) => ({ apiVersion: "v1", kind: "Namespace", name });

async function newService(serviceName = "web"): Promise<TestService> {
  const environmentId = cluster.id();
  return new TestService(cluster.client, environmentId, await cluster.namespace(environmentId), serviceName);
}

describe("waiting for workloads", () => {
  it("tells each wait once, by watches alone, also one that is added while running", async () => {
    const [web, api] = [await newService(), await newService("api")];
    const outcomes: ReadinessOutcome[] = [];
    const objects = [deployment("web", { replicas: 2 }), job("migrate"), configMap("c")];
    const first = await web.apply(objects);
    const second = await api.apply([deployment("api")]);
    const workloads = (result: typeof first) =>
      result.results
        .filter(({ ref }) => ref.kind !== "ConfigMap")
        .map(({ ref, uid, generation }) => ({ ...ref, uid, generation }));
    cluster.takeSent();
    const watch = watchReadiness(cluster.client, [{ id: "first", workloads: workloads(first) }], {
      onOutcome: (outcome) => void outcomes.push(outcome),
      signal: AbortSignal.timeout(60_000),
    });
    expect(watch.add({ id: "second", workloads: workloads(second) })).toBe(true);
    await watch.done;
    expect(outcomes.map(({ id, state }) => `${id} ${state}`).sort()).toEqual(["first ready", "second ready"]);
    expect([...new Set(cluster.takeSent())].sort()).toEqual(["list", "watch"]);
    expect(Object.keys(watch.resumePoint()).sort()).toEqual(["Deployment.apps", "Job.batch"]);
    expect(watch.add({ id: "late", workloads: [] })).toBe(false);
  });

  it("tells a job that failed for good, and says how far the others are", async () => {
    const web = await newService();
    const result = await web.apply([job("broken", "busybox:crash"), deployment("stuck", {}, "busybox:missing")]);
    const outcomes: ReadinessOutcome[] = [];
    const ended = new AbortController();
    const refs = result.results.map(({ ref }) => ref);
    const watch = watchReadiness(
      cluster.client,
      [
        { id: "job", workloads: refs.filter(({ kind }) => kind === "Job") },
        { id: "deployment", workloads: refs.filter(({ kind }) => kind === "Deployment") },
      ],
      {
        signal: ended.signal,
        onOutcome: (outcome) => {
          outcomes.push(outcome);
          ended.abort();
        },
      },
    );
    await watch.done;
    expect(outcomes).toMatchObject([{ id: "job", state: "failed" }]);
    expect(watch.progress("deployment")).toMatchObject([{ state: "progressing" }]);
  });
});

describe("reading an environment", () => {
  it("costs one LIST a kind for all services and shows what runs", async () => {
    const web = await newService();
    const api = new TestService(cluster.client, web.scope.environmentId, web.scope.namespace, "api");
    const { environmentId, namespace } = web.scope;
    const objects = [deployment("web", { replicas: 2 }), service("web")];
    const result = await web.apply(objects);
    await api.apply([deployment("api", {}, "busybox:missing")]);
    const workloads = result.results.filter(({ ref }) => ref.kind === "Deployment").map(({ ref }) => ref);
    await watchReadiness(cluster.client, [{ id: "web", workloads }], {
      onOutcome: () => undefined,
      signal: AbortSignal.timeout(60_000),
    }).done;
    await waitFor("a pod of api", async () => {
      const { items } = await cluster.client.list({ apiVersion: "v1", kind: "Pod" }, { namespace });
      return items.some(({ metadata }) => metadata.name.startsWith("api-"));
    });
    cluster.takeSent();
    const kinds = [
      { apiVersion: "apps/v1", kind: "Deployment" },
      { apiVersion: "v1", kind: "Service" },
    ];
    const live = await readEnvironment(cluster.client, { environmentId, namespace, kinds });
    expect(cluster.takeSent()).toEqual(["list", "list", "list"]);
    const services = byService(live);
    const stateOf = (name: string, kind: string) =>
      serviceStatus({
        manifest: [{ apiVersion: "apps/v1", kind, name }],
        live: services.get(name) ?? [],
        changeFailed: false,
        defined: true,
        cluster: "read",
        environmentCreating: false,
      });
    expect([stateOf("web", "Deployment"), stateOf("api", "Deployment")]).toEqual(["running", "unstable"]);
    const manifest = [...workloads, { apiVersion: "apps/v1", kind: "Deployment", name: "api" }];
    expect(environmentDetailStatus("success", manifestReadiness(manifest, live))).toBe("unstable");
    const detail = instanceDetail(services.get("web") ?? [], Date.now());
    expect(detail.scales).toMatchObject([
      { name: "web", type: "Deployment", replicas: 2, images: [{ image_name: "busybox" }] },
    ]);
    expect(detail.scales[0]?.pods.map(({ status, pod_ready }) => [status, pod_ready])).toEqual([
      ["Running", true],
      ["Running", true],
    ]);
    expect(detail.service_endpoints).toMatchObject([{ name: "web", endpoints: [{ service_port: 80 }] }]);
  });
});

describe("removing", () => {
  it("deletes what a service applied and nothing else, and can be repeated", async () => {
    const web = await newService();
    const api = new TestService(cluster.client, web.scope.environmentId, web.scope.namespace, "api");
    const { environmentId, namespace } = web.scope;
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: namespace },
      rules: [],
    };
    await web.apply([deployment("web"), configMap("web"), role]);
    await api.apply([configMap("api")]);
    await cluster.client.apply(
      { ...configMap("by-hand"), metadata: { name: "by-hand", namespace } },
      { fieldManager: "me" },
    );
    const kinds = [deployment("web"), configMap("web"), role];
    const request = { environmentId, namespace, kinds, serviceNames: ["web"], claims: soleOwner, waitSeconds: 30 };
    const result = await removeObjects(cluster.client, request);
    expect(result.removed.map(({ kind, name }) => `${kind}/${name}`).sort()).toEqual([
      `ClusterRole/${namespace}`,
      "ConfigMap/web",
      "Deployment/web",
    ]);
    expect([result.failed, result.remaining]).toEqual([[], []]);
    const left = await cluster.client.list({ apiVersion: "v1", kind: "ConfigMap" }, { namespace });
    expect(left.items.map(({ metadata }) => metadata.name).sort()).toEqual(["api", "by-hand", "kube-root-ca.crt"]);
    expect((await removeObjects(cluster.client, request)).removed).toEqual([]);
  });

  it("tells what finalizers still hold when the wait is over", async () => {
    const web = await newService();
    const { environmentId, namespace } = web.scope;
    const held = { ...configMap("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } };
    await web.apply([held]);
    const request = { environmentId, namespace, kinds: [held], claims: soleOwner, waitSeconds: 1 };
    expect((await removeObjects(cluster.client, request)).remaining).toMatchObject([{ name: "held" }]);
    const ref = { apiVersion: "v1", kind: "ConfigMap", name: "held", namespace };
    await cluster.client.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } });
  });
});

describe("namespaces", () => {
  it("one that the platform made is known again, removed, and refused while it terminates", async () => {
    const environmentId = cluster.id();
    const namespace = await cluster.namespace(environmentId);
    const owner = { namespace, environmentId, projectKey: "shop" };
    expect(await ensureNamespace(cluster.client, owner)).toMatchObject({ made: true });
    expect(await ensureNamespace(cluster.client, { ...owner, environmentId: cluster.id() })).toMatchObject({
      made: false,
    });
    const found = await findNamespace(cluster.client, namespace);
    expect(found?.metadata.labels).toMatchObject({ createdBy: "koderover", "s-product": "shop" });
    const held = { ...configMap("held"), metadata: { name: "held", namespace, finalizers: ["example.com/hold"] } };
    await cluster.client.apply(held);
    expect(await removeNamespace(cluster.client, namespace, { waitSeconds: 0 })).toBe("removing");
    await expect(ensureNamespace(cluster.client, owner)).rejects.toMatchObject({ name: "NamespaceTerminating" });
    const ref = { apiVersion: "v1", kind: "ConfigMap", name: "held", namespace };
    await cluster.client.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } });
    expect(await removeNamespace(cluster.client, namespace, { waitSeconds: 60 })).toMatch(/removed|absent/);
  });

  it("one that was there before is neither labelled nor removed", async () => {
    const name = `slipway-test-${cluster.id().slice(0, 8)}`;
    await cluster.client.create({ ...namespaceRef(name), metadata: { name, labels: { createdBy: "koderover" } } });
    try {
      const owner = { namespace: name, environmentId: cluster.id(), projectKey: "shop" };
      expect(await ensureNamespace(cluster.client, owner)).toMatchObject({ made: false });
      expect((await findNamespace(cluster.client, name))?.metadata.labels).not.toHaveProperty("s-product");
      await releaseNamespace(cluster.client, name);
      expect((await findNamespace(cluster.client, name))?.metadata.labels).toHaveProperty("createdBy");
      expect(await removeNamespace(cluster.client, name, { waitSeconds: 0 })).toBe("kept");
    } finally {
      await cluster.client.remove(namespaceRef(name));
    }
  });

  it("one that was released is never removed later", async () => {
    const namespace = await cluster.namespace(cluster.id());
    await releaseNamespace(cluster.client, namespace);
    expect((await findNamespace(cluster.client, namespace))?.metadata.labels).not.toHaveProperty("createdBy");
    expect(await removeNamespace(cluster.client, namespace, { waitSeconds: 0 })).toBe("kept");
  });

  it("one of a failed creation goes only while it is empty and its own", async () => {
    const environmentId = cluster.id();
    const [empty, full] = [await cluster.namespace(environmentId), await cluster.namespace(environmentId)];
    await cluster.client.apply({ ...configMap("c"), metadata: { name: "c", namespace: full } });
    await applyPullSecret(cluster.client, pullSecret(empty, "https://registry.example.com/", undefined));
    expect(await removeUnusedNamespace(cluster.client, full, environmentId)).toBe("kept");
    expect(await removeUnusedNamespace(cluster.client, empty, cluster.id())).toBe("kept");
    expect(await removeUnusedNamespace(cluster.client, empty, environmentId)).toBe("removed");
  });
});

describe("the pull secret", () => {
  it("is written, follows a changed login, and replaces one of another type", async () => {
    const namespace = await cluster.namespace(cluster.id());
    const ref = { apiVersion: "v1", kind: "Secret", name: "default-registry-secret", namespace };
    await cluster.client.create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: ref.name, namespace },
      type: "Opaque",
    });
    for (const password of ["one", "two"]) {
      const login = { username: "u", password };
      await applyPullSecret(cluster.client, pullSecret(namespace, "https://registry.example.com/", login));
      const live = await cluster.client.get(ref);
      expect(live.type).toBe("kubernetes.io/dockercfg");
      const { ".dockercfg": content = "" } = live.data as Record<string, string>;
      expect(JSON.parse(Buffer.from(content, "base64").toString())).toMatchObject({
        "registry.example.com": { password },
      });
    }
  });
});
