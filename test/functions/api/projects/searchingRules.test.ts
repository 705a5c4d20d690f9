import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { detailOf } from "../../../harness/boutique.ts";
import {
  type HelmCommand,
  helmCommand,
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  untilChanged,
} from "../../../harness/chartProject.ts";
import { chartFiles } from "../../../harness/packedChart.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const path = "/api/aslan/project/products/charts/searching-rules";
const success = '{"message":"success"}';
let slipway: Slipway;
let helm: HelmCommand;

interface Failure {
  code: number;
  description: string;
}
interface Service {
  containers: { name: string; image: string }[];
}

const values = `replicaCount: 1
docker: {host: registry.example.com, team: shop, name: cart, version: v1}
image: {repository: registry.example.com/tools/side, tag: v3}
`;
const workload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      containers:
        - name: main
          image: "{{ .Values.docker.host }}/{{ .Values.docker.team }}/{{ .Values.docker.name }}:{{ .Values.docker.version }}"
`;
const own = { repo: "host", namespace: "team", image: "name", tag: "version" };
const docker = { repo: "docker.host", namespace: "docker.team", image: "docker.name", tag: "docker.version" };
const presets = [
  { repo: "image.registry", namespace: "", image: "image.repository", tag: "image.tag", inUse: true, presetId: 1 },
  { repo: "", namespace: "", image: "image", tag: "", inUse: true, presetId: 2 },
];

const put = (rules: unknown) => slipway.call<Failure>("PUT", path, { body: { rules } });
const modules = async () => {
  const { json } = await slipway.call<Service>("GET", "/openapi/service/yaml/cart?projectKey=charts");
  return json.containers.map(({ image }) => image);
};

beforeAll(async () => {
  slipway = await startSlipway();
  helm = helmCommand(readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"));
  const { "values.schema.json": _schema, ...files } = chartFiles("1.0.0");
  const made = { ...files, "values.yaml": values, "templates/deployment.yaml": workload };
  await makeChartProject(slipway, "charts", made);
  await readStoredChart(slipway, "charts", { service_name: "cart" });
});

afterAll(async () => {
  helm.close();
  await slipway.close();
});

describe("the rules by which images are found in values", () => {
  test("are the given ones at first", async () => {
    expect((await slipway.call("GET", path)).json).toEqual(presets);
    expect(await modules()).toEqual(["registry.example.com/tools/side:v3"]);
  });

  test("find what a project adds, in services that stand", async () => {
    expect((await put([docker])).text).toBe(success);
    expect((await slipway.call("GET", path)).json).toEqual([...presets, { ...docker, inUse: true, presetId: 0 }]);
    expect(await modules()).toEqual(["registry.example.com/shop/cart:v1", "registry.example.com/tools/side:v3"]);
  });

  test("hold below any map of the values", async () => {
    expect((await put([own])).text).toBe(success);
    expect(await modules()).toEqual(["registry.example.com/tools/side:v3", "registry.example.com/shop/cart:v1"]);
  });

  test("can be switched off, given ones too", async () => {
    const [first] = presets;
    expect(
      (
        await put([
          { ...docker, inUse: false },
          { ...first, inUse: false },
        ])
      ).text,
    ).toBe(success);
    expect(await modules()).toEqual([]);
    expect((await put([docker, { ...first, inUse: false }])).text).toBe(success);
    expect(await modules()).toEqual(["registry.example.com/shop/cart:v1"]);
  });

  test("say where an image goes that is deployed by itself", async () => {
    await makeChartEnvironment(slipway, "charts", { env_name: "dev", namespace: "rules-dev" });
    await untilChanged(slipway, "charts", "dev");
    const body = { services: [{ service_name: "cart" }] };
    await slipway.call("POST", "/openapi/environments/helm/dev/services?projectKey=charts", { body });
    await untilChanged(slipway, "charts", "dev");
    const update = {
      ...{ product_name: "charts", service_name: "cart", name: "cart", container_name: "main" },
      image: "other.example.com:5000/web/new/cart:v2",
    };
    const answer = await slipway.call("POST", "/openapi/environments/image/deployment/dev?projectKey=charts", {
      body: update,
    });
    expect(answer.text).toBe(success);
    await untilChanged(slipway, "charts", "dev");
    const { services } = await detailOf(slipway, "charts", "dev");
    expect(services).toMatchObject([{ error: "", containers: [{ image: update.image }] }]);
    expect(JSON.parse(await helm.run("rules-dev", "get", "values", "cart", "-o", "json"))).toMatchObject({
      docker: { host: "other.example.com:5000", team: "web/new", name: "cart", version: "v2" },
    });
  });

  test.each([
    ["no list", "all", "rules must be a list"],
    ["a rule without an image", [{ tag: "a.tag" }], "where the repository stands"],
    ["a path that is none", [{ image: "a..b" }], "keys of the values"],
    ["the same twice", [docker, docker], "the same as one before it"],
    ["a given rule changed", [{ ...docker, presetId: 1 }], "add one of your own"],
    ["a given rule that is none", [{ ...docker, presetId: 3 }], "one of 1, 2"],
    ["21 rules", Array.from({ length: 21 }, (_, n) => ({ image: `i${n}` })), "at most 20"],
  ])("refuse %s", async (_what, rules, words) => {
    const { status, text } = await put(rules);
    expect(status).toBe(400);
    expect(text).toContain(words);
  });

  test("are a matter of charts", async () => {
    const project = { project_name: "plain", project_key: "plain", is_public: false, project_type: "yaml" };
    await slipway.call("POST", "/openapi/projects/project", { body: project });
    for (const method of ["GET", "PUT"]) {
      const at = (key: string) =>
        slipway.call<Failure>(
          method,
          `/api/aslan/project/products/${key}/searching-rules`,
          method === "GET" ? {} : { body: { rules: [] } },
        );
      expect((await at("plain")).json.code).toBe(6040);
      expect((await at("nowhere")).status).toBe(404);
    }
  });
});
