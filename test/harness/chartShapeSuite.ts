import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChartCases, caseFiles, chartOf, openChartCases } from "./chartCases.ts";
import { makeChartEnvironment, readStoredChart, untilChanged } from "./chartProject.ts";
import type { Standing } from "./environmentSuite.ts";
import { packedChart } from "./packedChart.ts";
import { waitFor } from "./waitFor.ts";

const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
const config = { apiVersion: "v1", kind: "ConfigMap" };

/** Whatever Helm takes of a chart's shape and size, Slipway takes: the same on every cluster. */
export function chartShapeSuite(cluster: string, open: () => Promise<Standing>): void {
  let cases: ChartCases;
  const group = `shapes-${Date.now().toString(36)}.slipway.test`;
  const made = ["boats.cases.example.com", "fleets.cases.example.com", "depths.cases.example.com", `rows.${group}`];
  beforeAll(async () => {
    cases = await openChartCases(open);
  });
  afterAll(async () => {
    for (const name of made) await cases.client.remove({ ...definition, name });
    await cases.close();
  });

  const releases = async (): Promise<{ name: string; revision: string; status: string }[]> =>
    JSON.parse(await cases.helm("list", "-o", "json"));
  const release = async (service: string) => (await releases()).find(({ name }) => name === service);
  const inSync = async () => expect(await cases.drift()).toMatchObject({ in_sync: true, objects: [] });
  const removed = async (service: string): Promise<string[]> => {
    const warnings = await cases.remove(service);
    expect((await releases()).map(({ name }) => name)).not.toContain(service);
    return warnings;
  };

  describe(`a chart on ${cluster}`, () => {
    test("may render hooks alone", async () => {
      await cases.make("ho", caseFiles("hooks-only"));
      expect(await cases.preview("ho")).toEqual([]);
      expect(await cases.deploy("ho")).toBe("");
      expect(await release("ho")).toMatchObject({ revision: "1", status: "deployed" });
      expect(await cases.find({ ...config, name: "ho" })).toBeDefined();
      expect(await cases.deploy("ho", "x: 1")).toBe("");
      expect(await release("ho")).toMatchObject({ revision: "2", status: "deployed" });
      await inSync();
      await removed("ho");
    });

    test("may bring definitions alone, and they stay", async () => {
      await cases.make("co", caseFiles("crds-only"));
      expect(await cases.preview("co")).toMatchObject([{ kind: "CustomResourceDefinition", action: "create" }]);
      expect(await cases.deploy("co")).toBe("");
      expect(await release("co")).toMatchObject({ status: "deployed" });
      expect((await cases.client.resource({ apiVersion: "cases.example.com/v1", kind: "Boat" })).namespaced).toBe(true);
      await inSync();
      expect((await removed("co")).join()).toContain("boats.cases.example.com");
      expect(await cases.find({ ...definition, name: "boats.cases.example.com" })).toBeDefined();
    });

    test("may render nothing, with a condition that is false or without a template", async () => {
      const empty = "{{ if .Values.brings }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: brought}\n{{ end }}\n";
      await cases.make("empty", chartOf("empty", { empty }, "brings: false\n"));
      await cases.make("bare", chartOf("bare", {}));
      for (const service of ["empty", "bare"]) {
        expect(await cases.preview(service)).toEqual([]);
        expect(await cases.deploy(service)).toBe("");
        expect(await release(service)).toMatchObject({ revision: "1", status: "deployed" });
        await inSync();
        if (service === "empty") {
          expect(await cases.deploy("empty", "brings: true")).toBe("");
          expect(await cases.find({ ...config, name: "brought" })).toBeDefined();
          expect(await cases.deploy("empty", "brings: false")).toBe("");
          expect(await cases.find({ ...config, name: "brought" })).toBeUndefined();
        }
        await removed(service);
      }
    });

    test("may hold definitions of more than 10,000 values", async () => {
      await cases.make("lc", caseFiles("large-crd"));
      expect(await cases.preview("lc")).toMatchObject([{ kind: "CustomResourceDefinition", action: "create" }]);
      expect(await cases.deploy("lc")).toBe("");
      const crd = JSON.stringify((await cases.find({ ...definition, name: "fleets.cases.example.com" }))?.spec);
      expect(crd.match(/"f\d+":/g)).toHaveLength(3000);
      await inSync();
      await removed("lc");
    });

    test("may nest deeper than what people may send", async () => {
      const deep = `${"properties: {a: {type: object, ".repeat(35)}x-kubernetes-preserve-unknown-fields: true${"}}".repeat(35)}`;
      const crd = `apiVersion: ${definition.apiVersion}\nkind: ${definition.kind}\nmetadata: {name: rows.${group}}\nspec: {group: ${group}, scope: Namespaced, names: {kind: Row, plural: rows, singular: row}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, ${deep}}}}]}\n`;
      await cases.make("deep", chartOf("deep", { crd }));
      expect(await cases.deploy("deep")).toBe("");
      await inSync();
      await removed("deep");
    });

    test("keeps every digit of its integers, as Helm alone does", async () => {
      const files = caseFiles("int64");
      await cases.helm("install", "by-helm", cases.folderOf(files));
      const name = "depths.cases.example.com";
      const specOf = async () => JSON.stringify((await cases.find({ ...definition, name }))?.spec);
      const byHelm = await specOf();
      await cases.helm("uninstall", "by-helm");
      await waitFor("the definition to go", async () => (await cases.find({ ...definition, name })) === undefined);
      await cases.make("in", files);
      expect(await cases.preview("in")).toMatchObject([{ action: "create" }]);
      expect(await cases.deploy("in")).toBe("");
      expect(await specOf()).toBe(byHelm);
      expect(byHelm).toContain('"default":9007199254740993');
      await inSync();
      await removed("in");
    });

    test("may be larger than its Secret, where Helm keeps less of it", async () => {
      // Files of charts in it are not stored with a release.
      const noise = Array.from(
        { length: 25_000 },
        (_, at) => ((at * 2654435761) % 2 ** 32).toString(36) + Math.random(),
      );
      const part = chartOf("part", { part: "{{- if false }}x{{ end }}\n" });
      const inner = Object.entries({ ...part, "files/noise.txt": noise.join("\n") });
      const files = {
        ...chartOf("wide", {}),
        "Chart.yaml": "apiVersion: v2\nname: wide\nversion: 1.0.0\ndependencies: [{name: part, version: 1.0.0}]\n",
        ...Object.fromEntries(inner.map(([path, text]) => [`charts/part/${path}`, text])),
      };
      await cases.make("wide", { ...files, "charts/part/files/more.txt": noise.reverse().join("\n") });
      expect(await cases.deploy("wide")).toBe("");
      await removed("wide");
    });
  });

  test(`a chart that Helm could not store in its Secret is refused when it is loaded, on ${cluster}`, async () => {
    const noise = (bytes: number) => randomBytes(bytes).toString("base64");
    const load = async (service: string, files: Record<string, string>, values_yaml = "") => {
      const name = `${cases.project}-${service}`;
      const { slipway, project } = cases;
      await slipway.call("POST", "/api/aslan/template/charts", { body: { name, source: "upload" } });
      const content = (await packedChart(files, service)).toString("base64");
      const path = `/api/aslan/template/charts/${name}/upload`;
      expect((await slipway.call("POST", path, { body: { content } })).status).toBe(200);
      const body = { service_name: service, template_name: name, values_yaml };
      return slipway.call("POST", `/openapi/service/template/load/helm?projectKey=${project}`, { body });
    };
    const fits = { ...chartOf("fits", {}), "files/noise.txt": noise(350_000) };
    const large = { ...chartOf("large", {}), "files/noise.txt": noise(800_000) };
    expect((await load("fits", fits)).status).toBe(200);
    for (const [service, files, values] of [
      ["large", large, ""],
      ["by-values", { ...fits, "Chart.yaml": chartOf("by-values", {})["Chart.yaml"] ?? "" }, `x: ${noise(450_000)}`],
    ] as const) {
      const { status, text } = await load(service, files, values);
      expect([status, text]).toEqual([
        400,
        expect.stringMatching(/Helm would store \d{7} bytes of them in one Secret/),
      ]);
    }
  });

  describe(`the deletion of a project of charts on ${cluster}`, () => {
    test("with isDelete takes its releases and its namespace along", async () => {
      const { slipway, client } = cases;
      const key = `${cases.project}d`;
      const namespace = `slipway-test-${key}`;
      const found = () =>
        client.list({ apiVersion: "v1", kind: "Namespace" }, { fieldSelector: `metadata.name=${namespace}` });
      const gone = async () => (await found()).items.length === 0;
      const deployed = async () => {
        const body = { project_name: key, project_key: key, is_public: false, project_type: "helm" };
        const answer = await waitFor("the key to be free", async () => {
          const sent = await slipway.call("POST", "/openapi/projects/project", { body });
          return sent.status === 200 && sent;
        });
        expect(answer.status).toBe(200);
        await readStoredChart(slipway, key, { service_name: "pd", template_name: `${cases.project}-pd` });
        await makeChartEnvironment(slipway, key, { env_name: "dev", namespace });
        await untilChanged(slipway, key, "dev");
        const path = `/openapi/environments/helm/dev/services?projectKey=${key}`;
        const sent = await slipway.call("POST", path, { body: { services: [{ service_name: "pd" }] } });
        expect(sent.status, sent.text).toBe(200);
        await untilChanged(slipway, key, "dev");
        const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "pd" };
        expect((await client.get(ref)).metadata.name).toBe("pd");
      };
      await cases.make("pd", caseFiles("project-deletion"));
      for (const _again of [1, 2]) {
        await deployed();
        const path = `/openapi/projects/project?projectKey=${key}&isDelete=true`;
        expect((await slipway.call("DELETE", path)).status).toBe(200);
        await waitFor("the namespace to go", gone, 60);
      }
    });
  });
}
