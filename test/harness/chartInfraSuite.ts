import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { storedPerson } from "../security/storedPerson.ts";
import { type ChartCases, chartOf, openChartCases } from "./chartCases.ts";
import { untilChanged } from "./chartProject.ts";
import type { Standing } from "./environmentSuite.ts";
import { waitFor } from "./waitFor.ts";

const group = "infra.slipway.test";
/** Kinds that a boundary has to name: the sandbox serves no webhooks, but every kind that is defined. */
const kinds = {
  webhooks: {
    ref: { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" },
    content: `webhooks: [{name: none.slipway.test, admissionReviewVersions: [v1], sideEffects: None, failurePolicy: Ignore, clientConfig: {url: "https://127.0.0.1:1/none"}, rules: [{apiGroups: [none.slipway.test], apiVersions: [v1], operations: [CREATE], resources: [nones]}]}]`,
  },
  issuers: { ref: { apiVersion: `${group}/v1`, kind: "ClusterIssuer" }, content: "spec: {size: 1}" },
};
const issuers = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  metadata: { name: `clusterissuers.${group}` },
  spec: {
    ...{
      group,
      scope: "Cluster",
      names: { kind: "ClusterIssuer", plural: "clusterissuers", singular: "clusterissuer" },
    },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const rbac = "rbac.authorization.k8s.io";
const binding = { apiVersion: `${rbac}/v1`, kind: "RoleBinding", namespace: "kube-system" };
const path = "/openapi/environments/helm/dev/services";

/** Charts of infrastructure: what the boundary of their project names, and roles in `kube-system`. The same on every cluster. */
export function chartInfraSuite(
  cluster: string,
  open: () => Promise<Standing>,
  shared: keyof typeof kinds = "webhooks",
): void {
  const { ref: webhooks, content } = kinds[shared];
  let cases: ChartCases;
  let token: string;
  beforeAll(async () => {
    cases = await openChartCases(open);
    if (shared === "issuers") {
      await cases.client.apply(issuers);
      await waitFor("the kind to be served", () =>
        cases.client.list(webhooks, {}).then(
          () => true,
          () => false,
        ),
      );
    }
    token = (await storedPerson("pa", { namespace: cases.project, roles: { "project-admin": [] } })).token;
  });
  afterAll(async () => {
    await cases.client.remove({ ...webhooks, name: cases.project });
    await cases.client.remove({ ...binding, name: cases.project });
    await cases.close();
  });

  const asProject = async (service: string, values?: string) => {
    const body = { services: [{ service_name: service, ...(values !== undefined && { values_yaml: values }) }] };
    const sent = await cases.slipway.call("POST", `${path}?projectKey=${cases.project}`, { body, token });
    await untilChanged(cases.slipway, cases.project, "dev");
    return sent;
  };
  const boundary = async (kinds: string[]) => {
    const body = { namespaces: [], cluster_scoped_kinds: kinds, pod_security: "baseline", privileged_jobs: false };
    const answer = await cases.slipway.call("PUT", `/openapi/system/projects/${cases.project}/boundary`, { body });
    expect(answer.status, answer.text).toBe(200);
  };
  const configuration = (x: string) =>
    `apiVersion: ${webhooks.apiVersion}\nkind: ${webhooks.kind}\nmetadata: {name: ${cases.project}, labels: {x: "${x}"}}\n${content}\n`;

  describe(`a chart of infrastructure on ${cluster}`, () => {
    test("brings the webhooks that the boundary of its project names, and takes them along", async () => {
      await cases.make("hooks", chartOf("hooks", { hooks: configuration("{{ .Values.x }}") }, "x: one\n"));
      await boundary(["ClusterRole"]);
      for (const sent of [await cases.send({ service_name: "hooks" }), await asProject("hooks")]) {
        expect([sent.status, sent.text]).toEqual([400, expect.stringContaining("belongs to the whole cluster")]);
      }
      await boundary([webhooks.kind, "MutatingWebhookConfiguration", "APIService"]);
      for (const values of [undefined, "x: two"]) {
        const sent = await asProject("hooks", values);
        expect(sent.status, sent.text).toBe(200);
      }
      expect((await cases.find({ ...webhooks, name: cases.project }))?.metadata.labels).toMatchObject({ x: "two" });
      expect(await cases.drift()).toMatchObject({ in_sync: true, objects: [] });
      await cases.rollback("hooks", 1);
      expect((await cases.find({ ...webhooks, name: cases.project }))?.metadata.labels).toMatchObject({ x: "one" });
      await cases.remove("hooks");
      expect(await cases.find({ ...webhooks, name: cases.project })).toBeUndefined();
    });

    test("has roles in kube-system where a system administrator deploys it, and only there", async () => {
      const role = `apiVersion: ${binding.apiVersion}\nkind: RoleBinding\nmetadata: {name: ${cases.project}, namespace: kube-system}\nroleRef: {apiGroup: ${rbac}, kind: Role, name: extension-apiserver-authentication-reader}\nsubjects: [{kind: ServiceAccount, name: default, namespace: "{{ .Release.Namespace }}"}]\n`;
      const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: reads}\n";
      await cases.make("reads", chartOf("reads", { role, config }));
      const refused = await asProject("reads");
      expect([refused.status, refused.text]).toEqual([
        400,
        expect.stringContaining("a system administrator can deploy it"),
      ]);
      expect(await cases.preview("reads")).toMatchObject([{ action: "create" }, { action: "create" }]);
      expect(await cases.deploy("reads")).toBe("");
      expect(await findObject(cases.client, { ...binding, name: cases.project })).toBeDefined();
      expect(await cases.drift()).toMatchObject({ in_sync: true, objects: [] });
      await cases.remove("reads");
      expect(await findObject(cases.client, { ...binding, name: cases.project })).toBeUndefined();
    });

    test("has nothing else in kube-system, whoever deploys it", async () => {
      const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: kube-system}\n";
      await cases.make("other", chartOf("other", { config }));
      const { status, text } = await cases.send({ service_name: "other" });
      expect([status, text]).toEqual([400, expect.stringContaining("names namespace kube-system")]);
    });
  });

  test(`a YAML service brings what the boundary of its project names on ${cluster}`, async () => {
    const key = `${cases.project}y`;
    const done = async (method: string, at: string, body: object, status = 200) => {
      const answer = await cases.slipway.call(method, `${at}?projectKey=${key}`, { body });
      expect(answer.status, answer.text).toBe(status);
      return answer.text;
    };
    const project = { project_name: key, project_key: key, is_public: false, project_type: "yaml" };
    await done("POST", "/openapi/projects/project", project);
    await done("POST", "/openapi/service/yaml/raw", { service_name: "hooks", yaml: configuration("yaml") });
    const environment = {
      ...{ env_key: "dev", namespace: `${cases.namespace}-y`, cluster_id: "0123456789abcdef12345678" },
      ...{ registry_id: "0123456789abcdef12345679", services: [{ service_name: "hooks" }] },
    };
    expect(await done("POST", "/openapi/environments", environment, 400)).toContain("belongs to the whole cluster");
    const allowed = {
      namespaces: [],
      cluster_scoped_kinds: [webhooks.kind],
      pod_security: "baseline",
      privileged_jobs: false,
    };
    await done("PUT", `/openapi/system/projects/${key}/boundary`, allowed);
    await done("POST", "/openapi/environments", environment);
    await untilChanged(cases.slipway, key, "dev");
    expect((await cases.find({ ...webhooks, name: cases.project }))?.metadata.labels).toMatchObject({ x: "yaml" });
    const drift = await cases.slipway.call("GET", `/openapi/environments/dev/drift?projectKey=${key}`);
    expect(drift.json).toMatchObject({ in_sync: true });
    await cases.slipway.call("DELETE", `/openapi/environments/dev?projectKey=${key}&isDelete=true`);
    await expect.poll(() => cases.find({ ...webhooks, name: cases.project }), { timeout: 60_000 }).toBeUndefined();
  });
}
