import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys, padded } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { changeChartTemplate, findChartTemplate } from "../../../../shared/projects/services/store/chartTemplates.ts";
import { chartTemplateId, dueTemplateSyncs } from "../../../../shared/projects/services/store/templateFollowers.ts";
import { continueSync } from "../../../../shared/projects/services/syncTemplate.ts";
import { packedChart } from "../../../harness/packedChart.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import type { Outcome } from "./templateCalls.ts";

const templates = "/api/aslan/template/charts";
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  for (const project_key of ["demo", "other"]) {
    const body = { project_key, project_name: project_key, project_type: "helm" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
});

afterAll(() => slipway.close());

/** A chart whose page shows its values and which version of it they met. */
const chart = async (version: string, values = "greeting: hello\nowner: '{{.owner}}'\n") => {
  const page =
    "kind: ConfigMap\napiVersion: v1\nmetadata: { name: page }\ndata: { owner: {{ .Values.owner | quote }} }\n";
  const files = { "Chart.yaml": `apiVersion: v2\nname: page\nversion: ${version}\n`, "values.yaml": values };
  return (await packedChart({ ...files, "templates/page.yaml": page })).toString("base64");
};
const upload = async (name: string, version: string, values?: string) =>
  slipway.call<Outcome & { digest: string }>("POST", `${templates}/${name}/upload`, {
    body: { content: await chart(version, values) },
  });
const create = async (name: string) => {
  const body = { name, source: "upload", variables: [{ key: "owner", value: "nobody" }] };
  expect((await slipway.call("POST", templates, { body })).status).toBe(200);
  expect((await upload(name, "1.0.0")).json).toMatchObject({ updated: 0, failed: [], pending: 0 });
};
const load = async (service_name: string, template_name: string, rest: object = {}, projectKey = "demo") => {
  const path = `/openapi/service/template/load/helm?projectKey=${projectKey}`;
  const answer = await slipway.call("POST", path, { body: { service_name, template_name, ...rest } });
  expect(answer.status, answer.text).toBe(200);
};
const read = async (service: string, projectKey = "demo") =>
  (
    await slipway.call<{ yaml: string; chart: { version: string }; template_name: string; source: string }>(
      "GET",
      `/openapi/service/yaml/${service}?projectKey=${projectKey}`,
    )
  ).json;
const follow = { auto_sync: true, values_yaml: "greeting: mine", variables: [{ key: "owner", value: "ada" }] };

describe("a changed chart template", () => {
  test("reaches its services in all projects with what was sent with each, and none with auto_sync off", async () => {
    await create("wide");
    await load("wide", "wide", follow);
    await load("wide", "wide", { auto_sync: true }, "other");
    await load("resting", "wide", { values_yaml: "greeting: mine" });
    const answer = await upload("wide", "2.0.0", "greeting: good day\nowner: '{{.owner}}'\nsize: 3\n");
    expect(answer.json).toMatchObject({
      message: "success",
      updated: 2,
      failed: [],
      pending: 0,
      chart_version: "2.0.0",
    });
    expect(await read("wide")).toMatchObject({ chart: { version: "2.0.0" }, source: "chartTemplate" });
    expect((await read("wide")).yaml).toBe("greeting: mine\nowner: ada\nsize: 3\n");
    expect((await read("wide", "other")).yaml).toBe("greeting: good day\nowner: nobody\nsize: 3\n");
    expect(await read("resting")).toMatchObject({ chart: { version: "1.0.0" } });
    expect(await dueTemplateSyncs()).not.toContain(chartTemplateId("wide"));
  });

  test("with the same values is a new revision all the same; the same chart is none", async () => {
    await create("same");
    await load("same", "same", follow);
    expect((await upload("same", "1.0.0")).json).toMatchObject({ updated: 0 });
    expect((await upload("same", "1.0.1")).json).toMatchObject({ updated: 1 });
    expect(await read("same")).toMatchObject({ chart: { version: "1.0.1" } });
  });

  test("brings other defaults of its variables", async () => {
    await create("defaults");
    await load("defaults", "defaults", { auto_sync: true });
    const body = { variables: [{ key: "owner", value: "grace" }] };
    const answer = await slipway.call("PUT", `${templates}/defaults`, { body });
    expect(answer.json).toEqual({ message: "success", updated: 1, failed: [], pending: 0 });
    expect((await read("defaults")).yaml).toContain("owner: grace");
  });

  test("says whom it cannot reach, and goes on with the others", async () => {
    await create("picky");
    await load("good", "picky", { auto_sync: true });
    await load("bad", "picky", { auto_sync: true, values_yaml: "size: none" });
    const schema = { properties: { size: { type: "integer" } } };
    const files = {
      ...{ "Chart.yaml": "apiVersion: v2\nname: page\nversion: 2.0.0\n", "values.yaml": "size: 1\n" },
      ...{ "values.schema.json": JSON.stringify(schema), "templates/none.yaml": "" },
    };
    const content = (await packedChart(files)).toString("base64");
    const answer = await slipway.call<Outcome>("POST", `${templates}/picky/upload`, { body: { content } });
    expect(answer.json).toMatchObject({ updated: 1, pending: 0 });
    expect(answer.json.failed).toEqual([
      { project_key: "demo", service_name: "bad", production: false, reason: expect.stringContaining("size") },
    ]);
    expect(await read("bad")).toMatchObject({ chart: { version: "1.0.0" } });
    expect(await read("good")).toMatchObject({ chart: { version: "2.0.0" } });
  });

  test("whose request died is finished by the reconciler", async () => {
    await create("left");
    await load("left", "left", { auto_sync: true });
    const before = (await findChartTemplate("left"))!;
    await changeChartTemplate(before, { ...before, variables: [{ key: "owner", value: "heir" }] });
    expect((await read("left")).yaml).toContain("owner: nobody");
    const id = chartTemplateId("left");
    await continueSync(id);
    expect((await read("left")).yaml).toContain("owner: nobody");
    const changes = { set: { dueSk: `${padded(1)}#${id}` } };
    await table().write({ kind: "update", key: keys.chartTemplate("left"), changes, condition: mustExist });
    await continueSync(id);
    expect((await read("left")).yaml).toContain("owner: heir");
    expect(await dueTemplateSyncs()).not.toContain(id);
  });
});

describe("a chart template", () => {
  test("is kept while a service follows it", async () => {
    await create("kept");
    await load("kept", "kept", { auto_sync: true });
    const refused = await slipway.call("DELETE", `${templates}/kept`);
    expect(refused.json).toMatchObject({ code: 6044, description: expect.stringContaining("kept of project demo") });
    expect((await slipway.call("DELETE", "/openapi/service/yaml/kept?projectKey=demo")).status).toBe(200);
    expect((await slipway.call("DELETE", `${templates}/kept`)).status).toBe(200);
    expect((await slipway.call("GET", `${templates}/kept`)).status).toBe(404);
  });

  test("is applied again by hand", async () => {
    await create("hand");
    await load("hand", "hand", { auto_sync: true });
    const answer = await slipway.call("POST", `${templates}/hand/reference`);
    expect(answer.json).toEqual({ message: "success", updated: 0, failed: [], pending: 0 });
    expect((await slipway.call("POST", `${templates}/nobody/reference`)).status).toBe(404);
  });

  test("begins a project with services that follow it", async () => {
    await create("begun");
    const service = (service_name: string) => ({
      ...{ service_name, source: "template" },
      template_name: "begun",
      auto_sync: true,
    });
    const service_list = [service("web"), service("api")];
    const body = { project_name: "begun", project_key: "begun", service_list, env_list: [] };
    const made = await slipway.call("POST", "/openapi/projects/project/init/helm", { body });
    expect(made.status, made.text).toBe(200);
    expect((await upload("begun", "1.1.0")).json).toMatchObject({ updated: 2 });
    expect(await read("api", "begun")).toMatchObject({ chart: { version: "1.1.0" } });
  });

  test("is no way to change a service's text or variables", async () => {
    await create("fixed");
    await load("fixed", "fixed");
    for (const [path, body] of [
      ["fixed", { type: "k8s", yaml: "a: 1" }],
      ["fixed/variable", { service_variable_kvs: [] }],
    ] as const) {
      const answer = await slipway.call("PUT", `/openapi/service/yaml/${path}?projectKey=demo`, { body });
      expect(answer.json).toMatchObject({ code: 6092, description: expect.stringContaining("fixed is a chart") });
    }
  });
});
