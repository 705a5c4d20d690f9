import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId, untilStatus } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import type { Slipway } from "./slipway.ts";

const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };

/** What others take, and what a person meant to write. */
const yaml = `apiVersion: v1
kind: Namespace
metadata: { name: ${namespace} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replica: 3
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: main
          image: web:1
          image: web:2
          env: [{ name: A, value: one }, { name: B, value: one }, { name: A, value: two }]
          ports: [{ containerPort: 80 }, { containerPort: 80 }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: rules }
data: { rule: '{{ $labels.pod }} is down' }
`;

/** What is taken with a warning: the same on every cluster. */
export function leniencySuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
  });

  afterAll(async () => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client.close();
    await slipway.close();
  });

  describe(`what is taken with a warning on ${cluster}`, () => {
    test("is deployed as it is read, and nothing of it is drift", async () => {
      const saved = await slipway.call<{ warnings: { code: string; line: number }[] }>(
        "POST",
        "/openapi/service/yaml/raw?projectKey=shop",
        { body: { service_name: "web", yaml } },
      );
      expect(saved.json.warnings.map(({ code, line }) => `${line} ${code}`)).toEqual([
        "25 undeclared_variable",
        "1 namespace_left_out",
        "9 undeclared_field",
        "18 duplicate_key",
        "19 duplicate_entry",
        "20 duplicate_entry",
      ]);
      const dev = { ...place, env_key: "dev", namespace, services: [{ service_name: "web" }] };
      const created = await slipway.call("POST", "/openapi/environments?projectKey=shop", { body: dev });
      expect(created.status, created.text).toBe(200);
      await untilStatus(slipway, "shop", "dev", "running", 90);
      const live = await client.get({ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace });
      expect(live).toHaveProperty("spec.replicas", 1);
      expect(live).toHaveProperty("spec.template.spec.containers.0.image", "web:2");
      expect(live).toHaveProperty("spec.template.spec.containers.0.env", [
        { name: "B", value: "one" },
        { name: "A", value: "two" },
      ]);
      expect(live).toHaveProperty("spec.template.spec.containers.0.ports.length", 1);
      const rules = await client.get({ apiVersion: "v1", kind: "ConfigMap", name: "rules", namespace });
      expect(rules.data).toEqual({ rule: "{{ $labels.pod }} is down" });
      const drift = await slipway.call("GET", "/openapi/environments/dev/drift?projectKey=shop");
      expect(drift.json).toMatchObject({ in_sync: true, objects: [] });
      const update = { env_key: "dev", service_list: [{ service_name: "web" }] };
      const preview = await slipway.call<{ objects: { action: string }[] }>(
        "PUT",
        "/openapi/environments/service/yaml?projectKey=shop&dryRun=true",
        { body: update },
      );
      expect(preview.json.objects.map(({ action }) => action)).toEqual(["unchanged", "unchanged"]);
    });

    test("is not taken from the bad: another namespace, doubles that nobody takes", async () => {
      const save = (service_name: string, text: string) =>
        slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body: { service_name, yaml: text } });
      await save("other", yaml.replace(namespace, "kube-system"));
      const path = "/openapi/environments/service/yaml?projectKey=shop";
      const add = (service_name: string) =>
        slipway.call<{ code: number }>("POST", path, { body: { env_key: "dev", service_list: [{ service_name }] } });
      expect((await add("other")).json).toMatchObject({ code: 6045 });
    });
  });
}
