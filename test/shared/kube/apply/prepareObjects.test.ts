import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyWaves } from "../../../../shared/kube/apply/applyWaves.ts";
import { contentHash } from "../../../../shared/kube/apply/contentHash.ts";
import { type ApplyScope, prepareObjects } from "../../../../shared/kube/apply/prepareObjects.ts";
import { clusterFacts } from "../../../../shared/kube/readClusterFacts.ts";
import { namespaceProblem } from "../../../../shared/kube/rules/systemNamespaces.ts";
import { parseClusterKinds } from "../../../../shared/kube/scopeRules.ts";
import type { KubeObject } from "../../../../shared/manifest/parseManifest.ts";

const scope: ApplyScope = {
  environmentId: "0123456789abcdef01234567",
  environmentKey: "dev",
  projectKey: "shop",
  serviceName: "web",
  namespace: "shop-env-dev",
  production: false,
};
const scopes = new Map([
  ["apps/v1/Deployment", true],
  ["batch/v1/CronJob", true],
  ["v1/ConfigMap", true],
  ["v1/Pod", true],
  ["v1/Namespace", false],
  ["rbac.authorization.k8s.io/v1/ClusterRole", false],
  ["example.com/v1/Till", false],
]);
const object = (apiVersion: string, kind: string, rest: Record<string, unknown> = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "web" },
  ...rest,
});
const workload = (replicas?: number) =>
  object("apps/v1", "Deployment", {
    spec: {
      ...(replicas !== undefined && { replicas }),
      template: {
        metadata: { labels: { app: "web", "s-product": "lies" } },
        spec: { imagePullSecrets: [{ name: "own" }] },
      },
    },
  });
const prepare = (objects: KubeObject[], change: Partial<ApplyScope> = {}) =>
  prepareObjects(objects, { ...scope, ...change }, clusterFacts(scopes, objects));

describe("a prepared object", () => {
  it("stands in the environment's namespace, whatever the manifest says", () => {
    const elsewhere = { ...object("v1", "ConfigMap"), metadata: { name: "web", namespace: "kube-system" } };
    expect(prepare([elsewhere]).objects[0]?.object.metadata.namespace).toBe("shop-env-dev");
  });

  it("carries the platform's labels, also on its pods, in place of equal ones of the manifest", () => {
    const [prepared] = prepare([workload()]).objects;
    const labels = {
      "slipway.dev/environment": scope.environmentId,
      "slipway.dev/service": "web",
      "s-product": "shop",
      "s-service": "web",
    };
    expect(prepared?.object.metadata.labels).toEqual(labels);
    expect(prepared?.object.spec).toMatchObject({ template: { metadata: { labels: { app: "web", ...labels } } } });
  });

  it("carries no s-labels in production", () => {
    const [prepared] = prepare([workload()], { production: true }).objects;
    expect(Object.keys(prepared?.object.metadata.labels ?? {})).toEqual([
      "slipway.dev/environment",
      "slipway.dev/service",
    ]);
    expect(JSON.stringify(prepared?.object.spec)).not.toContain("s-service");
  });

  it("names its environment where it has no namespace or no service", () => {
    const role = prepare([object("rbac.authorization.k8s.io/v1", "ClusterRole")]).objects[0];
    const config = prepare([object("v1", "ConfigMap")], { serviceName: undefined }).objects[0];
    expect(role?.object.metadata).toMatchObject({ labels: { "s-env": "dev", "s-service": "web" } });
    expect(role?.object.metadata).not.toHaveProperty("namespace");
    expect(config?.object.metadata.labels).toMatchObject({ "s-env": "dev" });
    expect(config?.object.metadata.labels).not.toHaveProperty("slipway.dev/service");
  });

  it("pulls its images with the environment's secret, beside its own", () => {
    const cron = object("batch/v1", "CronJob", { spec: { jobTemplate: { spec: { template: { spec: {} } } } } });
    const [first, second] = prepare([workload(), cron]).objects;
    expect(first?.object.spec).toMatchObject({
      template: { spec: { imagePullSecrets: [{ name: "own" }, { name: "default-registry-secret" }] } },
    });
    expect(JSON.stringify(second?.object)).toContain('"imagePullSecrets":[{"name":"default-registry-secret"}]');
  });

  it("leaves its replicas to an autoscaler that targets it, and only then", () => {
    const autoscaler = (kind: string) => ({
      ...object("autoscaling/v2", "HorizontalPodAutoscaler", {
        spec: { scaleTargetRef: { apiVersion: "apps/v1", kind, name: "web" } },
      }),
    });
    expect(prepare([workload(3), autoscaler("Deployment")]).objects[0]?.object.spec).not.toHaveProperty("replicas");
    expect(prepare([workload(3), autoscaler("StatefulSet")]).objects[0]?.object.spec).toHaveProperty("replicas", 3);
  });

  it("does not change what it was made from", () => {
    const original = workload(3);
    const before = JSON.stringify(original);
    prepare([original]);
    expect(JSON.stringify(original)).toBe(before);
  });

  it("has the same hash for the same content, whatever the order of keys or an old hash", () => {
    const again = { ...workload(3), metadata: { name: "web", annotations: { "slipway.dev/content-hash": "old" } } };
    const [a, b, c] = [prepare([workload(3)]), prepare([again]), prepare([workload(4)])].map(
      ({ objects }) => objects[0],
    );
    expect(a?.hash).toBe(b?.hash);
    expect(a?.hash).not.toBe(c?.hash);
    expect(a?.object.metadata.annotations).toEqual({ "slipway.dev/content-hash": a?.hash });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const turned = Object.fromEntries(Object.entries(data).reverse());
        expect(contentHash({ ...object("v1", "ConfigMap"), data })).toBe(
          contentHash({ ...object("v1", "ConfigMap"), data: turned }),
        );
      }),
    );
  });
});

describe("what may not be touched", () => {
  it.each([
    ["a namespace", object("v1", "Namespace"), undefined],
    ["a namespace, even when the list names it", object("v1", "Namespace"), ["Namespace"]],
    ["a custom kind of the whole cluster", object("example.com/v1", "Till"), undefined],
    [
      "a kind that the operator took from the list",
      object("rbac.authorization.k8s.io/v1", "ClusterRole"),
      ["StorageClass"],
    ],
  ])("%s is a problem and is not prepared", (_name, one, clusterKinds) => {
    const { objects, problems } = prepare([one, object("v1", "ConfigMap")], { clusterKinds });
    expect(objects.map(({ ref }) => ref.kind)).toEqual(["ConfigMap"]);
    expect(problems[0]?.message).toContain("belongs to the whole cluster");
  });

  it("the same object twice is a problem", () => {
    expect(prepare([object("v1", "ConfigMap"), object("v1", "ConfigMap")]).problems).toHaveLength(1);
  });

  it("system namespaces and the jobs namespace are refused", () => {
    for (const name of ["kube-system", "kube-public", "kube-node-lease", "slipway-jobs"])
      expect(namespaceProblem(name)).toContain("choose another one");
    expect(namespaceProblem("shop")).toBeUndefined();
  });

  it("the operator's list replaces the default", () => {
    expect(parseClusterKinds(" ClusterRole, Till ,")).toEqual(["ClusterRole", "Till"]);
    expect(parseClusterKinds(undefined)).toContain("CustomResourceDefinition");
  });
});

describe("the order", () => {
  it("is definitions, configuration, workloads, the rest", () => {
    const kinds: [string, string][] = [
      ["v1", "Service"],
      ["apps/v1", "Deployment"],
      ["example.com/v1", "Cart"],
      ["v1", "ServiceAccount"],
      ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
      ["v1", "PersistentVolumeClaim"],
      ["example.com/v1", "Job"],
    ];
    const { objects } = prepare(kinds.map(([apiVersion, kind]) => object(apiVersion, kind)));
    expect(applyWaves(objects).map((wave) => wave.map(({ ref }) => ref.kind))).toEqual([
      ["CustomResourceDefinition"],
      ["ServiceAccount", "PersistentVolumeClaim"],
      ["Deployment"],
      ["Service", "Cart", "Job"],
    ]);
  });
});
