import { afterAll, beforeAll, expect, test } from "vitest";
import { packedChart } from "../../../harness/packedChart.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import type { Outcome } from "./templateCalls.ts";

const template = "/api/aslan/template/charts/shared";
let slipway: Slipway;

const upload = async (version: string, values: string) => {
  const text = `kind: ConfigMap\napiVersion: v1\nmetadata: {name: page}\ndata: {owner: {{ .Values.owner | quote }}}\n`;
  const head = `apiVersion: v2\nname: page\nversion: ${version}\n`;
  const chart = await packedChart({ "Chart.yaml": head, "values.yaml": values, "templates/page.yaml": text });
  const body = { content: chart.toString("base64") };
  const answer = await slipway.call<Outcome>("POST", `${template}/upload`, { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};
const read = async (service: string) =>
  (
    await slipway.call<{ yaml: string; chart: { version: string }; revision: number }>(
      "GET",
      `/openapi/service/yaml/${service}?projectKey=demo`,
    )
  ).json;
const named = (...names: string[]) => ({
  services: names.map((service_name) => ({ project_key: "demo", service_name })),
});
const refer = (body: object | undefined, query = "") =>
  slipway.call<Outcome & { objects: { service_name: string; action: string; diff: string; note?: string }[] }>(
    "POST",
    `${template}/reference${query}`,
    { ...(body && { body }) },
  );

beforeAll(async () => {
  slipway = await startSlipway();
  const project = { project_key: "demo", project_name: "demo", project_type: "helm" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
  const created = { name: "shared", source: "upload" };
  expect((await slipway.call("POST", "/api/aslan/template/charts", { body: created })).status).toBe(200);
  await upload("1.0.0", "owner: nobody\n");
  for (const [service_name, rest] of [
    ["resting", { values_yaml: "owner: ada" }],
    ["other", {}],
    ["following", { auto_sync: true }],
  ] as const) {
    const body = { service_name, template_name: "shared", ...rest };
    const answer = await slipway.call("POST", "/openapi/service/template/load/helm?projectKey=demo", { body });
    expect(answer.status, answer.text).toBe(200);
  }
  expect(await upload("2.0.0", "owner: nobody\nsize: 3\n")).toMatchObject({ updated: 1 });
});

afterAll(() => slipway.close());

test("a preview shows chart and values of each service that is named, and changes nothing", async () => {
  const before = await read("resting");
  const { status, json, text } = await refer(named("resting", "following", "missing"), "?dryRun=true");
  expect(status, text).toBe(200);
  const [resting, following, missing] = json.objects;
  expect(resting).toMatchObject({ service_name: "resting", action: "change" });
  expect(resting?.diff).toContain("-chart: page 1.0.0");
  expect(resting?.diff).toContain("+chart: page 2.0.0");
  expect(resting?.diff).toContain("+  size: 3");
  expect(resting?.diff).not.toContain("-  owner: ada");
  expect(following).toMatchObject({ action: "unchanged", diff: "" });
  expect(missing?.note).toContain("was not made from chart template shared");
  expect(await read("resting")).toEqual(before);
});

test("a service that does not follow gets the newer chart when it is named, once, and follows no more than before", async () => {
  const { json } = await refer(named("resting", "missing"));
  expect(json).toMatchObject({
    updated: 1,
    failed: [{ project_key: "demo", service_name: "missing", production: false }],
    pending: 0,
  });
  expect(await read("resting")).toMatchObject({ chart: { version: "2.0.0" }, yaml: "owner: ada\nsize: 3\n" });
  expect(await read("other")).toMatchObject({ chart: { version: "1.0.0" } });
  expect((await refer(named("resting"))).json).toMatchObject({ updated: 0, failed: [] });
  expect(await upload("3.0.0", "owner: nobody\nsize: 4\n")).toMatchObject({ updated: 1 });
  expect(await read("resting")).toMatchObject({ chart: { version: "2.0.0" } });
});

test("without names those that follow are looked at again", async () => {
  expect((await refer(undefined)).json).toMatchObject({ updated: 0, failed: [], pending: 0 });
  const { json } = await refer(undefined, "?dryRun=true");
  expect(json.objects).toMatchObject([{ service_name: "following", action: "unchanged" }]);
});

test("a service that is not named whole is refused", async () => {
  const sent = await refer({ services: [{ project_key: "demo" }] });
  expect([sent.status, sent.text]).toEqual([400, expect.stringContaining("service_name")]);
});
