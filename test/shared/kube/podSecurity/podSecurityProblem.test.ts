import { describe, expect, test } from "vitest";
import { podSecurityProblem, podTemplatesIn } from "../../../../shared/kube/podSecurity/podSecurityProblem.ts";
import type { KubeObject } from "../../../../shared/manifest/schema/kubeObject.ts";
import { podOf } from "./variants.ts";

const template = podOf([{ own: { privileged: true, allowPrivilegeEscalation: true } }]);
const object = (apiVersion: string, kind: string, rest: Record<string, unknown>): KubeObject => ({
  ...{ apiVersion, kind, metadata: { name: "web" } },
  ...rest,
});
const inSpec = (more: Record<string, unknown> = {}) => ({ spec: { template, ...more } });

describe("the pod template is found", () => {
  test.each([
    object("v1", "Pod", { spec: template.spec }),
    object("v1", "ReplicationController", inSpec()),
    object("apps/v1", "Deployment", inSpec()),
    object("apps/v1", "StatefulSet", inSpec({ volumeClaimTemplates: [{ spec: {} }] })),
    object("apps/v1", "DaemonSet", inSpec()),
    object("apps/v1", "ReplicaSet", inSpec()),
    object("batch/v1", "Job", inSpec()),
    object("batch/v1", "CronJob", { spec: { jobTemplate: { spec: { template } } } }),
    object("apps.kruise.io/v1alpha1", "CloneSet", inSpec()),
  ])("of a $kind", (workload) => {
    expect(podTemplatesIn(workload).map(({ path }) => path)).toEqual([""]);
    expect(podSecurityProblem(workload, "baseline")).toBe(
      `${workload.kind} "web" violates the Pod Security Standard "baseline": privileged (container "web" must not set securityContext.privileged=true)`,
    );
    expect(podSecurityProblem(workload, "privileged")).toBeUndefined();
  });

  test.each([
    ["template", object("v1", "PodTemplate", { template })],
    ["spec.template", object("argoproj.io/v1alpha1", "Rollout", inSpec())],
    ["spec.template", object("serving.knative.dev/v1", "Service", inSpec())],
    ["spec.template", object("example.com/v1", "Job", inSpec())],
    ["spec.template", object("extensions/v1beta1", "Deployment", inSpec())],
    ["spec.tasks[1].template", object("batch.volcano.sh/v1alpha1", "Job", { spec: { tasks: [{}, { template }] } })],
    [
      "spec.template.jobTemplate.spec.template",
      object(
        "apps.kruise.io/v1alpha1",
        "AdvancedCronJob",
        inSpec({ template: { jobTemplate: { spec: { template } } } }),
      ),
    ],
    [
      "spec.podTemplate",
      object("elasticsearch.k8s.elastic.co/v1", "Elasticsearch", { spec: { podTemplate: { spec: template.spec } } }),
    ],
  ])("at %s of a kind that Kubernetes does not know", (path, workload) => {
    expect(podTemplatesIn(workload).map((found) => found.path)).toEqual([path]);
    expect(podSecurityProblem(workload, "baseline")).toContain(`${workload.kind} "web" (${path}) violates`);
  });

  test("with what it says of the whole pod, even where another manager brings the containers", () => {
    const spec = { hostPID: true };
    for (const [apiVersion, kind] of [
      ["apps/v1", "Deployment"],
      ["argoproj.io/v1alpha1", "Rollout"],
    ] as const)
      expect(podSecurityProblem(object(apiVersion, kind, { spec: { template: { spec } } }), "baseline")).toContain(
        "host namespaces (hostPID=true)",
      );
  });
});

test("a template does not hide another one inside of it", () => {
  const nested = { spec: { template: { spec: { securityContext: {}, template } } } };
  const found = podTemplatesIn(object("example.com/v1", "Nest", nested));
  expect(found.map(({ path }) => path)).toEqual(["spec.template", "spec.template.spec.template"]);
});

test("the first template with violations is the one that is told", () => {
  const workers = { spec: { leaderTemplate: podOf([{}]), workerTemplate: template } };
  const found = podSecurityProblem(object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", workers), "baseline");
  expect(found).toMatch(/^LeaderWorkerSet "web" \(spec\.workerTemplate\) violates .* privileged/);
});

test.each([
  object("v1", "ConfigMap", { data: { template: "spec: {containers: []}" } }),
  object("apps/v1", "Deployment", { spec: { replicas: 2 } }),
  object("cert-manager.io/v1", "Certificate", { spec: { secretTemplate: { labels: {} } } }),
  object("example.com/v1", "Claim", { spec: { volumeClaimTemplate: { spec: { accessModes: [] } } } }),
])("a $kind has none", (other) => {
  expect(podTemplatesIn(other)).toEqual([]);
  expect(podSecurityProblem(other, "restricted")).toBeUndefined();
});

test("a template that cannot be read is refused with its field", () => {
  const broken = object("apps/v1", "Deployment", { spec: { template: { spec: { containers: "web" } } } });
  expect(podSecurityProblem(broken, "baseline")).toBe(
    'Deployment "web" violates the Pod Security Standard "baseline": unreadable pod template (spec.containers must be a list)',
  );
});
