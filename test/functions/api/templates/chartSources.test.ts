import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { unpackHelm } from "../../../../infra/local/unpackHelm.ts";
import { detailOf } from "../../../harness/boutique.ts";
import { makeChartEnvironment, untilChanged } from "../../../harness/chartProject.ts";
import { chartFiles, packedChart } from "../../../harness/packedChart.ts";
import { type Answer, type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { startDoor, startTestRegistry, type TestRegistry } from "../../../harness/testRegistry.ts";

const login = { username: "robot", password: "its-secret-word" };
const templates = "/api/aslan/template/charts";

interface Template {
  source: string;
  chart_name: string;
  chart_version: string;
  digest: string;
  create_from?: unknown;
}

interface ShownService {
  service_name: string;
  containers: object[];
}

interface Refusal {
  code: number;
  extra: { problems: { path: string; problem: string }[] };
}

let slipway: Slipway;
let web: TestRegistry;
let registry: TestRegistry;
let folder: string;
/** What the web server has, by path. */
const files = new Map<string, Buffer>();

/** A version of the chart `web`; more files over its own. */
const chart = (version: string, more: Record<string, string> = {}) => packedChart({ ...chartFiles(version), ...more });

/** Puts charts of the name `web` behind an index that says their digests. */
async function serve(versions: Record<string, Buffer>): Promise<void> {
  const entries = Object.entries(versions).map(([version, packed]) => {
    files.set(`/charts/web-${version}.tgz`, packed);
    const digest = createHash("sha256").update(packed).digest("hex");
    return `    - {name: web, version: ${version}, urls: [web-${version}.tgz], digest: ${digest}}\n`;
  });
  files.set("/charts/index.yaml", Buffer.from(`apiVersion: v1\nentries:\n  web:\n${entries.join("")}`));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "slipway-charts-"));
  [slipway, web, registry] = await Promise.all([
    startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.1/32" } }),
    startDoor(({ url = "" }, response) => response.writeHead(files.has(url) ? 200 : 404).end(files.get(url))),
    startTestRegistry({ credentials: login }),
  ]);
  const versions = ["1.0.0", "1.1.0", "1.10.0", "2.0.0-rc.1"];
  await serve(Object.fromEntries(await Promise.all(versions.map(async (version) => [version, await chart(version)]))));
  await add({ repo_name: "shelf", type: "http", url: `http://${web.address}/charts` });
  await add({ repo_name: "hub", type: "oci", url: `http://${registry.address}/team/charts`, ...login });
  const project = { project_name: "Charts", project_key: "charts", is_public: false, project_type: "helm" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([slipway, web, registry].map((one) => one.close()));
});

afterEach(() => {
  web.trouble = undefined;
});

async function add(body: object): Promise<void> {
  const added = await slipway.call("POST", "/api/aslan/system/helm", { body });
  expect(added.status, added.text).toBe(200);
}

/** Pushes a packed chart as people do. */
async function push(packed: Buffer): Promise<void> {
  const file = join(folder, "web.tgz");
  writeFileSync(file, packed);
  const program = process.env.SLIPWAY_HELM ?? unpackHelm(folder) ?? "helm";
  const credentials = ["--username", login.username, "--password", login.password];
  const to = `oci://${registry.address}/team/charts`;
  await promisify(execFile)(program, ["push", file, to, "--plain-http", ...credentials], { env: { HOME: folder } });
}

const from = (chartRepoName: string, chartName = "web", chartVersion = "") => ({
  source: "chartRepo",
  createFrom: { chartRepoName, chartName, chartVersion },
});

const create = (name: string, body: object): Promise<Answer<Refusal>> =>
  slipway.call<Refusal>("POST", templates, { body: { name, ...body } });

const read = async (name: string) => (await slipway.call<Template>("GET", `${templates}/${name}`)).json;

async function load(name: string, template: string): Promise<Answer> {
  const body = { service_name: name, template_name: template };
  return slipway.call("POST", "/openapi/service/template/load/helm?projectKey=charts", { body });
}

/** What a refused creation says; nothing is left of it. */
async function problemOf(body: object, field = "createFrom"): Promise<string> {
  const { status, json, text } = await create("refused", body);
  expect([status, json.extra?.problems?.map(({ path }) => path)], text).toEqual([400, [field]]);
  expect((await slipway.call("GET", `${templates}/refused`)).status).toBe(404);
  return json.extra.problems[0]?.problem ?? "";
}

describe("a chart template from a chart repository", () => {
  test("takes the newest version that is no preview, the version that is named, or the newest of a range", async () => {
    for (const [wanted, version] of [
      ["", "1.10.0"],
      ["1.0.0", "1.0.0"],
      ["2.0.0-rc.1", "2.0.0-rc.1"],
      ["~1.1.0", "1.1.0"],
    ] as const) {
      const name = `newest-${version}`;
      expect((await create(name, from("shelf", "web", wanted))).text).toBe('{"message":"success"}');
      const { source, create_from, chart_name, chart_version } = await read(name);
      expect({ source, chart_name, chart_version }).toEqual({
        source: "chartRepo",
        chart_name: "web",
        chart_version: version,
      });
      expect(create_from).toEqual(from("shelf", "web", wanted).createFrom);
    }
  });

  test("makes services, and services of before keep the chart that they were made from", async () => {
    await create("changing", from("shelf", "web", "1.0.0"));
    expect((await load("before", "changing")).text).toBe('{"message":"success"}');
    const body = from("shelf", "web", "1.1.0");
    expect((await slipway.call("PUT", `${templates}/changing`, { body })).status).toBe(200);
    expect((await load("after", "changing")).status).toBe(200);
    const versionOf = async (name: string) => {
      const path = `/openapi/service/yaml/${name}?projectKey=charts`;
      return (await slipway.call<{ chart: { version: string } }>("GET", path)).json.chart.version;
    };
    expect([await versionOf("before"), await versionOf("after")]).toEqual(["1.0.0", "1.1.0"]);
  });

  test("keeps its chart where a change names no source, and lets go of its place where one is uploaded", async () => {
    await create("kept", from("shelf", "web", "1.0.0"));
    const before = await read("kept");
    const body = { variables: [{ key: "size", value: "1" }] };
    expect((await slipway.call("PUT", `${templates}/kept`, { body })).status).toBe(200);
    expect(await read("kept")).toMatchObject({
      source: "chartRepo",
      digest: before.digest,
      create_from: before.create_from,
    });
    const content = (await chart("3.0.0")).toString("base64");
    expect((await slipway.call("POST", `${templates}/kept/upload`, { body: { content } })).status).toBe(200);
    const after = await read("kept");
    expect(after).toMatchObject({ source: "upload", chart_version: "3.0.0" });
    expect(after.create_from).toBeUndefined();
  });

  test("of a registry is what the helm command pushed there", async () => {
    await push(await chart("1.2.3"));
    await push(await chart("1.3.0+build.7"));
    expect((await create("pushed", from("hub", "web", "1.2.3"))).text).toBe('{"message":"success"}');
    expect(await read("pushed")).toMatchObject({ chart_version: "1.2.3" });
    expect((await create("built", from("hub"))).status).toBe(200);
    expect(await read("built")).toMatchObject({ chart_version: "1.3.0+build.7" });
    expect((await load("of-registry", "pushed")).status).toBe(200);
  }, 60_000);

  test("that is not there is refused naming the field", async () => {
    expect(await problemOf(from("nowhere"))).toBe("chart repository nowhere does not exist");
    expect(await problemOf(from("shelf", "toString"))).toBe(
      "chart repository shelf has no chart toString; check its name",
    );
    expect(await problemOf(from("shelf", "web", "9.9.9"))).toMatch(/has no version of chart web 9\.9\.9/);
    expect(await problemOf(from("hub", "missing"))).toMatch(/chart repository hub has no chart missing/);
    expect(await problemOf(from("hub", "Web"))).toMatch(/upper case letters/);
    expect(
      await problemOf({ source: "chartRepo", createFrom: { chartRepoName: "shelf" } }, "createFrom.chartName"),
    ).toContain("chartName");
    expect(await problemOf({ source: "chartRepo" })).not.toBe("");
  });

  test("is checked as an upload is, and against the digest of the index", async () => {
    const trouble = (body: Buffer) => {
      web.trouble = ({ url }, response) => {
        if (url?.endsWith(".tgz") !== true) return false;
        response.end(body);
        return true;
      };
    };
    trouble(await chart("1.0.0", { "NOTES.txt": "changed" }));
    expect(await problemOf(from("shelf", "web", "1.0.0"))).toMatch(/has the digest \w+, but the index says \w+/);
    trouble(Buffer.alloc(3 * 1024 * 1024 + 1));
    expect(await problemOf(from("shelf", "web", "1.0.0"))).toMatch(/sends more than 3145728 bytes/);
    trouble(Buffer.from("<html>"));
    expect(await problemOf(from("shelf", "web", "1.0.0"))).toMatch(/there is a web page at/);
    const bare = await packedChart({ "values.yaml": "a: 1\n" });
    files.set("/bad/index.yaml", Buffer.from("entries: {web: [{version: 1.0.0, urls: [web.tgz]}]}"));
    files.set("/bad/web.tgz", bare);
    web.trouble = undefined;
    await add({ repo_name: "bad", type: "http", url: `http://${web.address}/bad` });
    expect(await problemOf(from("bad"))).toBe("the chart has no Chart.yaml");
  });
});

describe("a service straight from a chart repository", () => {
  const path = "/openapi/service/helm/load?projectKey=charts";
  const place = (chartRepoName: string, chartVersion = "") => ({ chartRepoName, chartName: "web", chartVersion });
  const loadFrom = (createFrom: object, more: object = {}) =>
    slipway.call<Refusal & { description: string }>("POST", path, {
      body: { source: "chartRepo", createFrom, ...more },
    });
  const service = async (name: string, kind = "") => {
    const list = await slipway.call<{ service?: ShownService[] }>(
      "GET",
      `/openapi/service/yaml${kind}/services?projectKey=charts`,
    );
    const shown = list.json.service ?? (list.json as unknown as ShownService[]);
    return shown.find(({ service_name }) => service_name === name);
  };

  test("has the chart's name or another one, of either kind, and can be deployed", async () => {
    const first = await loadFrom(place("shelf", "1.0.0"), { name: "shop", values_yaml: "image: {tag: v5}" });
    expect([first.status, first.json]).toEqual([200, { successServices: ["shop"], failedServices: [] }]);
    expect(await service("shop")).toMatchObject({
      ...{ type: "helm", source: "chartRepo" },
      containers: [{ name: "web", image: "registry.example.com/team/web:v5" }],
    });
    const named = await loadFrom(place("shelf", "1.0.0"), { production: true });
    expect(named.json).toEqual({ successServices: ["web"], failedServices: [] });
    expect(await service("web", "/production")).toMatchObject({ type: "helm" });
    await makeChartEnvironment(slipway, "charts", { env_name: "loaded", namespace: "charts-loaded" });
    await untilChanged(slipway, "charts", "loaded");
    const body = { services: [{ service_name: "shop" }] };
    expect(
      (await slipway.call("POST", `/openapi/environments/helm/loaded/services?projectKey=charts`, { body })).status,
    ).toBe(200);
    await untilChanged(slipway, "charts", "loaded");
    const { services } = await detailOf(slipway, "charts", "loaded");
    expect(services).toMatchObject([{ service_name: "shop", type: "helm", chart: { version: "1.0.0" }, error: "" }]);
  });

  test("loaded again takes what is there now with the values that were sent, and an environment learns of it", async () => {
    const again = await loadFrom(place("shelf", "^1.1.0"), { name: "shop" });
    expect(again.json).toEqual({ successServices: ["shop"], failedServices: [] });
    expect(await service("shop")).toMatchObject({ containers: [{ image: "registry.example.com/team/web:v5" }] });
    const update = await slipway.call("POST", `/openapi/environments/helm/loaded/services?projectKey=charts`, {
      body: { services: [{ service_name: "shop" }] },
    });
    expect(update.status).toBe(200);
    await untilChanged(slipway, "charts", "loaded");
    const { services } = await detailOf(slipway, "charts", "loaded");
    expect(services).toMatchObject([{ service_name: "shop", chart: { version: "1.10.0" }, error: "" }]);
    await loadFrom(place("shelf", "1.10.0"), { name: "shop", values_yaml: "image: {tag: v6}" });
    expect(await service("shop")).toMatchObject({ containers: [{ image: "registry.example.com/team/web:v6" }] });
  });

  test("is refused with why, and leaves what is there", async () => {
    expect((await create("shelf-web", from("shelf"))).status).toBe(200);
    expect((await load("of-template", "shelf-web")).status).toBe(200);
    const cases: [object, object, number, string][] = [
      [place("nowhere"), {}, 400, "chart repository nowhere does not exist"],
      [place("shelf", "9.9.9"), {}, 400, "no version of chart web 9.9.9"],
      [{ chartRepoName: "shelf" }, {}, 400, "chartName"],
      [place("shelf"), { name: "of-template" }, 6040, "already exists"],
      [place("shelf"), { name: "Upper" }, 400, "service name must have"],
      [place("shelf"), { name: "fails", values_yaml: "fail: true" }, 6058, "asked to fail"],
      [place("shelf"), { name: "fails", values_yaml: "replicaCount: many" }, 6058, "replicaCount"],
      [place("shelf"), { name: "fails", values_yaml: "a:\n\t- b" }, 6045, "values"],
      [place("shelf"), { name: "fails", source: "publicRepo" }, 400, "register"],
    ];
    for (const [createFrom, more, code, words] of cases) {
      const { status, json, text } = await loadFrom(createFrom, more);
      expect([status, json.code], text).toEqual([400, code]);
      expect(text).toContain(words);
    }
    expect(await service("fails")).toBeUndefined();
    const unknown = await slipway.call("POST", "/openapi/service/helm/load?projectKey=none", {
      body: { source: "chartRepo", createFrom: place("shelf") },
    });
    expect(unknown.status).toBe(404);
    const yaml = { project_name: "Plain", project_key: "plain", is_public: false, project_type: "yaml" };
    await slipway.call("POST", "/openapi/projects/project", { body: yaml });
    const other = await slipway.call<Refusal>("POST", "/openapi/service/helm/load?projectKey=plain", {
      body: { source: "chartRepo", createFrom: place("shelf") },
    });
    expect([other.status, other.json.code]).toEqual([400, 6040]);
  });
});

describe("what a chart needs and does not bring", () => {
  const needing = (repository: string, version = "^1.0.0", more: Record<string, string> = {}) => {
    const dependency = `dependencies:\n  - {name: web, version: "${version}", repository: "${repository}"}\n`;
    const head = `apiVersion: v2\nname: shop\nversion: 1.0.0\n${dependency}`;
    return packedChart({ ...chartFiles("1.0.0"), "Chart.yaml": head, ...more });
  };

  async function upload(name: string, packed: Buffer): Promise<Answer<Refusal>> {
    await create(name, { source: "upload" });
    const content = packed.toString("base64");
    return slipway.call<Refusal>("POST", `${templates}/${name}/upload`, { body: { content } });
  }

  test.each([
    ["its address", () => `http://${web.address}/charts/`],
    ["its name", () => "@shelf"],
    ["its alias", () => "alias:shelf"],
    ["the address of a registry", () => `oci://${registry.address}/team/charts`],
  ])("comes from a registered repository by %s, and Helm renders it", async (way, repository) => {
    const name = `needs-${way.replaceAll(" ", "-")}`;
    await push(await chart("1.2.3"));
    const uploaded = await upload(name, await needing(repository()));
    expect(uploaded.status, uploaded.text).toBe(200);
    const loaded = await load(name, name);
    expect(loaded.status, loaded.text).toBe(200);
  });

  test("comes in the version that its lock names", async () => {
    const lock = `dependencies:\n  - {name: web, version: 9.9.9, repository: "@shelf"}\n`;
    const refused = await upload("locked", await needing("@shelf", "^1.0.0", { "Chart.lock": lock }));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("no version of chart web 9.9.9")]);
  });

  test.each([
    [
      "https://charts.example.com",
      /the chart needs web from https:\/\/charts\.example\.com, which is no registered chart/,
    ],
    [
      "@unknown",
      /the chart needs web from @unknown, which is no registered chart repository; register it, or run helm/,
    ],
    ["file://../web", /the chart needs web, which is not in its charts\/ folder/],
    ["", /the chart needs web, which is not in its charts\/ folder/],
  ])("from %j is refused naming it", async (repository, sentence) => {
    const { status, json } = await upload("unbuilt", await needing(repository));
    expect([status, json.extra.problems[0]?.path]).toEqual([400, "content"]);
    expect(json.extra.problems[0]?.problem).toMatch(sentence);
  });
});
