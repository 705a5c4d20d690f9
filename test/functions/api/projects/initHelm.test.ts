import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { detailOf } from "../../../harness/boutique.ts";
import { type HelmCommand, helmCommand, storedStatusOf, untilChanged } from "../../../harness/chartProject.ts";
import { packedChart } from "../../../harness/packedChart.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const path = "/openapi/projects/project/init/helm";
let slipway: Slipway;
let helm: HelmCommand;

const configMap = `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data: { greeting: {{ required "greeting is needed" .Values.greeting | quote }}, owner: {{ .Values.owner | quote }} }
`;

beforeAll(async () => {
  slipway = await startSlipway();
  helm = helmCommand(readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"));
  const template = { name: "page", source: "upload", variables: [{ key: "owner", value: "nobody" }] };
  const made = await slipway.call("POST", "/api/aslan/template/charts", { body: template });
  expect(made.status, made.text).toBe(200);
  const files = {
    "Chart.yaml": "apiVersion: v2\nname: page\nversion: 1.0.0\n",
    "values.yaml": "greeting: hello\nowner: '{{.owner}}'\n",
    "templates/page.yaml": configMap,
  };
  const content = (await packedChart(files)).toString("base64");
  const uploaded = await slipway.call("POST", "/api/aslan/template/charts/page/upload", { body: { content } });
  expect(uploaded.status, uploaded.text).toBe(200);
});

afterAll(async () => {
  helm.close();
  await slipway.close();
});

const service = (service_name: string, rest: object = {}) => ({
  ...{ service_name, source: "template", template_name: "page" },
  ...rest,
});
const environment = (env_key: string, rest: object = {}) => ({ env_key, cluster_name: "local", ...rest });
const init = (project_key: string, rest: object = {}) =>
  slipway.call<{ code: number; description: string }>("POST", path, {
    body: {
      ...{ project_name: `name of ${project_key}`, project_key, is_public: false },
      ...{ service_list: [service("web")], env_list: [] },
      ...rest,
    },
  });
const stands = async (key: string) =>
  (await slipway.call("GET", `/openapi/projects/project/detail?projectKey=${key}`)).status === 200;

describe("initializing a project of charts", () => {
  test("creates project, services and environments whose releases stand", async () => {
    const answer = await init("whole", {
      env_list: [environment("dev"), environment("qa", { namespace: "whole-quality" })],
      service_list: [
        service("web", { values_yaml: "greeting: good morning" }),
        service("api", {
          variable_yaml: [
            { key: "owner", value: 7 },
            { key: "stranger", value: true },
          ],
        }),
      ],
    });
    expect(answer.json).toEqual({ message: "success" });
    for (const [envKey, namespace] of [
      ["dev", "whole-env-dev"],
      ["qa", "whole-quality"],
    ] as const) {
      await untilChanged(slipway, "whole", envKey);
      expect(await storedStatusOf(slipway, "whole", envKey)).toBe("success");
      const { services } = await detailOf(slipway, "whole", envKey);
      expect(services.map(({ service_name }) => service_name).sort()).toEqual(["api", "web"]);
      const releases: { name: string; status: string; revision: string }[] = JSON.parse(
        await helm.run(namespace, "list", "-o", "json"),
      );
      expect(releases.map(({ name, status, revision }) => [name, status, revision])).toEqual([
        ["api", "deployed", "1"],
        ["web", "deployed", "1"],
      ]);
      expect(await helm.run(namespace, "get", "manifest", "web")).toContain("greeting: good morning");
      expect(await helm.run(namespace, "get", "values", "api", "-o", "json")).toBe(
        '{"greeting":"hello","owner":"7"}\n',
      );
    }
    const project = await slipway.call("GET", "/openapi/projects/project/detail?projectKey=whole");
    expect(project.json).toMatchObject({ deploy_type: "helm" });
  });

  test("sent again, goes on where an environment stopped it", async () => {
    const body = { env_list: [environment("dev"), environment("qa", { namespace: "whole-quality" })] };
    const refused = await init("again", body);
    expect([refused.status, refused.json.code]).toEqual([400, 6074]);
    expect(refused.json.description).toContain("send the same request again");
    expect(await stands("again")).toBe(true);
    const other = await init("again", { ...body, env_list: [environment("dev")] });
    expect([other.status, other.json.code]).toEqual([400, 6060]);
    expect((await init("again", body)).json.code).toBe(6074);
    await untilChanged(slipway, "again", "dev");
    expect((await detailOf(slipway, "again", "dev")).services).toHaveLength(1);
  });

  test.each([
    ["no services", { service_list: [] }, 400, "initializing a project with no services is not allowed"],
    ["YAML", { service_list: [service("web", { source: "yaml", yaml: "a: 1" })] }, 400, "can only be template"],
    ["a project of another type", { project_type: "yaml" }, 400, "must be helm"],
    ["no template's name", { service_list: [service("web", { template_name: "" })] }, 400, "template_name"],
    ["an unknown template", { service_list: [service("web", { template_name: "none" })] }, 6045, "name: none"],
    ["a name that no release may have", { service_list: [service("Web_1")] }, 400, "1 to 53 of a-z 0-9 -"],
    ["values that are no map", { service_list: [service("web", { values_yaml: "- a" })] }, 6045, "service web: values"],
    [
      "what the chart refuses",
      { service_list: [service("web", { values_yaml: "greeting: ''" })] },
      6045,
      "greeting is needed",
    ],
    ["an unknown cluster", { env_list: [environment("dev", { cluster_name: "none" })] }, 6074, "with name: none"],
    ["one service twice", { service_list: [service("web"), service("web")] }, 400, "service_list[1].service_name"],
    [
      "too much rendering",
      { service_list: Array.from({ length: 101 }, (_, at) => service(`web-${at}`)) },
      400,
      "101 times",
    ],
  ])("with %s is refused and leaves nothing", async (_what, rest, code, words) => {
    const answer = await init("refused", rest);
    expect([answer.status, answer.json.code]).toEqual([400, code]);
    expect(answer.text).toContain(words);
    expect(await stands("refused")).toBe(false);
  });
});
