import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChartCases, caseFiles, chartOf, openChartCases } from "./chartCases.ts";
import { untilChanged } from "./chartProject.ts";
import type { Standing } from "./environmentSuite.ts";

const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const config = { apiVersion: "v1", kind: "ConfigMap" };
const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" };

/** What a chart or a manifest asks to keep stays when its service goes: the same on every cluster. */
export function chartKeepSuite(cluster: string, open: () => Promise<Standing>): void {
  let cases: ChartCases;
  beforeAll(async () => {
    cases = await openChartCases(open);
  });
  afterAll(() => cases.close());

  const configMap = (name: string, policy: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: {helm.sh/resource-policy: "${policy}"}}\ndata: {a: b}\n`;

  describe(`helm.sh/resource-policy: keep on ${cluster}`, () => {
    test("keeps a claim of a chart through the removal of its service, and says so", async () => {
      await cases.make("kp", caseFiles("keep-policy"));
      expect(await cases.deploy("kp")).toBe("");
      const before = await cases.find({ ...claim, name: "kp" });
      const removal = await cases.removal("kp");
      const shown = (kind: string) => removal.find((one) => one.kind === kind);
      expect(shown("PersistentVolumeClaim")).toMatchObject({ action: "unchanged" });
      expect(shown("PersistentVolumeClaim")?.note).toContain('PersistentVolumeClaim "kp"');
      expect(shown("ConfigMap")).toMatchObject({ action: "delete" });
      const warnings = await cases.remove("kp");
      expect(warnings.join()).toContain('PersistentVolumeClaim "kp"');
      expect(JSON.parse(await cases.helm("list", "-o", "json"))).toEqual([]);
      const after = await cases.find({ ...claim, name: "kp" });
      expect(after?.metadata.uid).toBe(before?.metadata.uid);
      expect(after?.metadata.deletionTimestamp).toBeUndefined();
      expect(await cases.find({ ...config, name: "kp" })).toBeUndefined();
      expect(await cases.deploy("kp")).toBe("");
      expect((await cases.find({ ...claim, name: "kp" }))?.metadata.uid).toBe(before?.metadata.uid);
      expect(await cases.drift()).toMatchObject({ in_sync: true });
      await cases.remove("kp");
    });

    test("keeps any kind, spelled as Helm reads it, also outside of the namespace", async () => {
      const name = `${cases.project}-kept`;
      const clusterRole = `apiVersion: ${role.apiVersion}\nkind: ClusterRole\nmetadata: {name: ${name}, annotations: {helm.sh/resource-policy: keep}}\nrules: []\n`;
      await cases.make("any", chartOf("any", { config: configMap("any-kept", " Keep "), role: clusterRole }));
      expect(await cases.deploy("any")).toBe("");
      const removal = await cases.removal("any");
      expect(removal.map(({ action }) => action)).toEqual(["unchanged", "unchanged"]);
      const warnings = (await cases.remove("any")).join();
      expect(warnings).toContain('ConfigMap "any-kept"');
      expect(warnings).toContain(`kubectl delete clusterrole ${name}`);
      expect(await cases.find({ ...config, name: "any-kept" })).toBeDefined();
      expect(await cases.find({ ...role, name })).toBeDefined();
      await cases.client.remove({ ...role, name });
    });

    test("keeps what an upgrade renders no more, and what is kept is no drift", async () => {
      const kept = `{{ if .Values.kept }}\n${configMap("dropped", "keep")}{{ end }}`;
      const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stays}\ndata: {a: b}\n";
      await cases.make("drops", chartOf("drops", { kept, other }, "kept: true\n"));
      expect(await cases.deploy("drops")).toBe("");
      const preview = await cases.preview("drops", "kept: false");
      expect(preview.find(({ name }) => name === "dropped")).toMatchObject({ action: "unchanged" });
      expect(await cases.deploy("drops", "kept: false")).toBe("");
      expect(await cases.find({ ...config, name: "dropped" })).toBeDefined();
      expect(await cases.drift()).toMatchObject({ in_sync: true, objects: [] });
      expect((await cases.remove("drops")).join()).toContain('ConfigMap "dropped"');
    });

    test("keeps objects of a YAML service as well: through an update and through its removal", async () => {
      const { slipway } = cases;
      const key = `${cases.project}y`;
      const at = (path: string) => `${path}?projectKey=${key}`;
      const done = async <T>(method: string, path: string, body?: object): Promise<T> => {
        const answer = await slipway.call<T>(method, path, { body });
        expect(answer.status, answer.text).toBe(200);
        return answer.json;
      };
      const project = { project_name: key, project_key: key, is_public: false, project_type: "yaml" };
      await done("POST", "/openapi/projects/project", project);
      const plain =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: no-hook, annotations: {helm.sh/hook: pre-install}}\n";
      const yaml = `${configMap("first", "keep")}---\n${configMap("second", "keep")}---\n${plain}`;
      await done("POST", at("/openapi/service/yaml/raw"), { service_name: "plain", yaml });
      await done("POST", at("/openapi/environments"), {
        ...{ env_key: "dev", namespace: cases.namespace, cluster_id: "0123456789abcdef12345678" },
        ...{ registry_id: "0123456789abcdef12345679", services: [{ service_name: "plain" }] },
      });
      await untilChanged(slipway, key, "dev");
      await done("PUT", at("/openapi/service/yaml/plain"), { type: "k8s", yaml: configMap("first", "keep") });
      const service_list = [{ service_name: "plain" }];
      const updated = await done("PUT", at("/openapi/environments/service/yaml"), { env_key: "dev", service_list });
      expect(JSON.stringify(updated)).toContain(`kubectl delete configmap second -n ${cases.namespace}`);
      expect(JSON.stringify(updated)).not.toContain("no-hook");
      await untilChanged(slipway, key, "dev");
      expect(await cases.find({ ...config, name: "second" })).toBeDefined();
      expect(await cases.find({ ...config, name: "no-hook" })).toBeUndefined();
      const drift = await done<{ in_sync: boolean }>("GET", at("/openapi/environments/dev/drift"));
      expect(drift).toMatchObject({ in_sync: true });
      const body = { env_key: "dev", service_names: ["plain"] };
      const answer = await done("DELETE", at("/openapi/environments/service/yaml"), body);
      expect(JSON.stringify(answer)).toContain("object_kept");
      for (const name of ["first", "second"]) expect(await cases.find({ ...config, name })).toBeDefined();
      await done("DELETE", `${at("/openapi/environments/dev")}&isDelete=false`);
    });
  });

  describe(`hooks of a chart on ${cluster}`, () => {
    const hook = (name: string, event: string, policy: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: {helm.sh/hook: "${event}", helm.sh/hook-delete-policy: "${policy}"}}\ndata: {x: "{{ .Values.x }}"}\n`;

    test("are no part of the release: no drift, not in previews, and left by the removal as Helm leaves them", async () => {
      const part = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: part}\ndata: {x: '{{ .Values.x }}'}\n";
      const templates = {
        part,
        before: hook("before", "pre-install,pre-upgrade", "before-hook-creation"),
        after: hook("after", "post-delete", "hook-failed"),
        gone: hook("gone", "post-install", "hook-succeeded"),
      };
      await cases.make("hooked", chartOf("hooked", templates, "x: 0\n"));
      expect(await cases.deploy("hooked")).toBe("");
      const preview = await cases.preview("hooked", "x: 1");
      expect(preview.map(({ name, action }) => [name, action])).toEqual([["part", "change"]]);
      expect(await cases.deploy("hooked", "x: 1")).toBe("");
      expect(await cases.drift()).toMatchObject({ in_sync: true, objects: [] });
      const removal = await cases.removal("hooked");
      expect(removal.map(({ name, action }) => [name, action])).toEqual([
        ["part", "delete"],
        ["before", "unchanged"],
      ]);
      expect(removal[1]?.note).toMatch(/^ConfigMap "before" .*stays: it is a hook/);
      const warnings = (await cases.remove("hooked")).join();
      for (const name of ["before", "after"]) {
        expect(warnings).toContain(`kubectl delete configmap ${name} -n ${cases.namespace}`);
        expect(await cases.find({ ...config, name })).toBeDefined();
      }
      for (const name of ["part", "gone"]) expect(await cases.find({ ...config, name })).toBeUndefined();
      expect(await cases.deploy("hooked", "x: 2")).toBe("");
      expect(await cases.find({ ...config, name: "before" })).toMatchObject({ data: { x: "2" } });
      await cases.remove("hooked");
    });
  });
}
