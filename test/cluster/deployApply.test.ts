import { describe, expect, it } from "vitest";
import { waitForObjects } from "../../shared/kube/apply/waitForObjects.ts";
import { actions, configMap, deployment, job, podSpec, service, TestService, useCluster } from "./deployHarness.ts";

const cluster = useCluster();

async function newService(): Promise<TestService> {
  const environmentId = cluster.id();
  return new TestService(cluster.client, environmentId, await cluster.namespace(environmentId));
}

describe("applying a manifest", () => {
  it("creates everything, then costs only LISTs while nothing changes", async () => {
    const web = await newService();
    const names = Array.from({ length: 12 }, (_, index) => `web-${index}`);
    const objects = names.flatMap((name) => [deployment(name), service(name), configMap(name)]);
    const first = await web.apply(objects);
    expect(first.results.filter(({ action }) => action === "created")).toHaveLength(36);
    cluster.takeSent();
    const second = await web.apply(objects);
    expect(second.results.filter(({ action }) => action === "unchanged")).toHaveLength(36);
    expect(cluster.takeSent().sort()).toEqual(["list", "list", "list"]);
  });

  it("reads nothing of the other services of its environment", async () => {
    const web = await newService();
    const { environmentId, namespace } = web.scope;
    const names = Array.from({ length: 20 }, (_, index) => `other-${index}`);
    await new TestService(cluster.client, environmentId, namespace, "other").apply(
      names.map((name) => configMap(name)),
    );
    let read = 0;
    const counting: typeof cluster.client = {
      ...cluster.client,
      list: async (kind, query) => {
        const answer = await cluster.client.list(kind, query);
        read += answer.items.length;
        return answer;
      },
    };
    const small = new TestService(counting, environmentId, namespace, "small");
    await small.apply([configMap("small"), configMap("also")]);
    expect(read).toBe(0);
    await small.apply([configMap("small")]);
    expect(read).toBe(2);
  });

  it("changes only what differs and prunes what is gone", async () => {
    const web = await newService();
    await web.apply([configMap("a", { v: "1" }), configMap("b"), configMap("c")]);
    const result = await web.apply([configMap("a", { v: "2" }), configMap("b")]);
    expect(actions(result)).toEqual(["ConfigMap/a changed", "ConfigMap/b unchanged", "ConfigMap/c pruned"]);
    const { items } = await cluster.client.list({ apiVersion: "v1", kind: "ConfigMap" }, web.scope);
    // A controller puts one of its own into every namespace, some time after that is there.
    const names = items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
    expect(names.sort()).toEqual(["a", "b"]);
  });

  it("puts back what somebody changed by hand, with and without generations", async () => {
    const web = await newService();
    const objects = [configMap("a", { v: "1" }), deployment("a", { replicas: 1 })];
    await web.apply(objects);
    const { namespace } = web.scope;
    const at = (apiVersion: string, kind: string) => ({ apiVersion, kind, name: "a", namespace });
    await cluster.client.patch(at("v1", "ConfigMap"), { type: "merge", body: { data: { v: "9" } } });
    await cluster.client.patch(at("apps/v1", "Deployment"), { type: "merge", body: { spec: { replicas: 3 } } });
    expect(actions(await web.apply(objects))).toEqual(["ConfigMap/a changed", "Deployment/a changed"]);
    expect((await cluster.client.get(at("v1", "ConfigMap"))).data).toEqual({ v: "1" });
    expect((await cluster.client.get(at("apps/v1", "Deployment"))).spec).toMatchObject({ replicas: 1 });
  });

  it("names manager and field of a conflict, and takes the field over when forced", async () => {
    const web = await newService();
    const { namespace } = web.scope;
    const theirs = { ...configMap("a", { v: "theirs" }), metadata: { name: "a", namespace } };
    await cluster.client.apply(theirs, { fieldManager: "somebody" });
    const refused = await web.apply([configMap("a", { v: "ours" }), configMap("b")], { force: false });
    expect(actions(refused)).toEqual(["ConfigMap/a failed", "ConfigMap/b created"]);
    expect(refused.results.find(({ action }) => action === "failed")?.failure).toMatchObject({
      code: "ClusterConflict",
      conflicts: [{ manager: "somebody", field: ".data.v" }],
    });
    expect((await web.apply([configMap("a", { v: "ours" })])).succeeded).toBe(true);
  });

  it("keeps going after a failure, keeps the server's words, and prunes nothing until all is well", async () => {
    const web = await newService();
    await web.apply([configMap("old")]);
    const broken = deployment("bad", { replicas: "many" });
    const result = await web.apply([broken, configMap("new"), service("new")]);
    expect(actions(result)).toEqual(["ConfigMap/new created", "Deployment/bad failed", "Service/new created"]);
    expect(result.results.find(({ action }) => action === "failed")?.failure?.message).toMatch(
      /Deployment "bad".*replicas/s,
    );
    expect(actions(await web.apply([configMap("new"), service("new")]))).toContain("ConfigMap/old pruned");
  });

  it("refuses a field that the kind does not have, in its own words", async () => {
    const web = await newService();
    const misspelt = { ...configMap("a"), dataa: { v: "1" } };
    const { succeeded, results } = await web.apply([misspelt, deployment("b", { replica: 2 })]);
    expect(succeeded).toBe(false);
    expect(results.map(({ failure }) => failure?.message).sort()).toEqual([
      expect.stringContaining(".dataa: field not declared in schema"),
      expect.stringContaining(".spec.replica: field not declared in schema"),
    ]);
  });

  it("comes to the same end after it died half way, whatever was recorded", async () => {
    const web = await newService();
    await web.apply([configMap("a"), configMap("left-behind")]);
    // The next process knows neither marks nor the manifest before.
    const again = new TestService(cluster.client, web.scope.environmentId, web.scope.namespace);
    const result = await again.apply([configMap("a"), configMap("b")]);
    expect(actions(result)).toEqual(["ConfigMap/a unchanged", "ConfigMap/b created", "ConfigMap/left-behind pruned"]);
  });

  it("previews without changing anything", async () => {
    const web = await newService();
    await web.apply([configMap("a", { v: "1" }), configMap("gone")]);
    const preview = await web.apply([configMap("a", { v: "2" }), configMap("b")], { dryRun: true });
    expect(actions(preview)).toEqual(["ConfigMap/a changed", "ConfigMap/b created", "ConfigMap/gone pruned"]);
    expect(actions(await web.apply([configMap("a", { v: "1" }), configMap("gone")]))).toEqual([
      "ConfigMap/a unchanged",
      "ConfigMap/gone unchanged",
    ]);
  });
});

describe("special kinds", () => {
  it("objects of a kind follow its definition in the same manifest", async () => {
    const web = await newService();
    const group = `${web.scope.namespace}.example.com`;
    const definition = (plural: string, kind: string, scope: string) => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope,
        names: { plural, singular: kind.toLowerCase(), kind },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    });
    const cart = { apiVersion: `${group}/v1`, kind: "Cart", metadata: { name: "one" }, spec: { size: 1 } };
    const till = { apiVersion: `${group}/v1`, kind: "Till", metadata: { name: "one" } };
    const definitions = [definition("carts", "Cart", "Namespaced"), definition("tills", "Till", "Cluster")];
    expect((await web.apply([cart, ...definitions])).succeeded).toBe(true);
    await expect(web.apply([till, cart, ...definitions])).rejects.toThrow('Till "one" belongs to the whole cluster');
    const removed = await web.apply([configMap("a")]);
    expect(actions(removed).filter((text) => text.endsWith("pruned"))).toHaveLength(3);
  });

  it("a Job whose content changed is deleted and created, an unchanged one is left alone", async () => {
    const web = await newService();
    const first = (await web.apply([job("once")])).results[0];
    expect((await web.apply([job("once")])).results[0]).toMatchObject({ action: "unchanged", uid: first?.uid });
    const changed = (await web.apply([job("once", "busybox:1.37", "2")])).results[0];
    expect(changed?.action).toBe("changed");
    expect(changed?.uid).not.toBe(first?.uid);
  });

  it("replicas stay what they are when an autoscaler takes over, and are not fought over", async () => {
    const web = await newService();
    const scaled = deployment("web", { replicas: 5 });
    await web.apply([scaled]);
    const autoscaler = {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 9,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
      },
    };
    const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: web.scope.namespace };
    await web.apply([scaled, autoscaler]);
    expect((await cluster.client.get(ref)).spec).toMatchObject({ replicas: 5 });
    await cluster.client.patch(ref, { type: "merge", body: { spec: { replicas: 7 } } });
    await web.apply([deployment("web", { replicas: 5, minReadySeconds: 1 }), autoscaler]);
    expect((await cluster.client.get(ref)).spec).toMatchObject({ replicas: 7, minReadySeconds: 1 });
  });

  it("a bare pod is created in a namespace made a moment ago", async () => {
    const web = await newService();
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "solo" }, spec: podSpec() };
    expect(actions(await web.apply([pod]))).toEqual(["Pod/solo created"]);
  });
});

describe("ownership", () => {
  it("what another environment of the namespace owns is refused, until that environment is gone", async () => {
    const mine = await newService();
    const theirs = new TestService(cluster.client, cluster.id(), mine.scope.namespace);
    await theirs.apply([configMap("shared")]);
    const refused = await mine.apply([configMap("shared"), configMap("own")]);
    expect(actions(refused)).toEqual(["ConfigMap/own created", "ConfigMap/shared failed"]);
    expect(refused.results.find(({ action }) => action === "failed")?.failure?.message).toBe(
      `resource ownership conflict: ConfigMap "shared" in namespace "${mine.scope.namespace}" belongs to service "web" of environment "live" of project "other"`,
    );
    const free = await mine.apply([configMap("shared")], { resolveOwner: async () => undefined });
    expect(free.succeeded).toBe(true);
  });

  it("pruning leaves the objects of other services and environments alone", async () => {
    const web = await newService();
    const api = new TestService(cluster.client, web.scope.environmentId, web.scope.namespace, "api");
    const foreign = new TestService(cluster.client, cluster.id(), web.scope.namespace);
    await api.apply([configMap("api")]);
    await foreign.apply([configMap("foreign")]);
    await web.apply([configMap("one"), configMap("two"), deployment("web")]);
    const stillThere = (objects: ReadonlyMap<string, unknown>) => objects.size > 0;
    const kind = { apiVersion: "apps/v1", kind: "ReplicaSet" };
    await waitForObjects(cluster.client, kind, { namespace: web.scope.namespace }, stillThere, { deadlineSeconds: 20 });
    const result = await web.apply([configMap("one"), deployment("web")]);
    expect(actions(result)).toEqual(["ConfigMap/one unchanged", "ConfigMap/two pruned", "Deployment/web unchanged"]);
  });
});
