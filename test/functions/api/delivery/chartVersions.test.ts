import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { unpackHelm } from "../../../../infra/local/unpackHelm.ts";
import { addChartRepository, chartVersionBody, startForChartVersions } from "../../../harness/chartVersions.ts";
import { endOf, releases, type ShownVersion, type VersionSetting } from "../../../harness/deliveryVersions.ts";
import { type HookReceiver, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { type Museum, startMuseum } from "../../../harness/museum.ts";
import { adminToken } from "../../../harness/slipway.ts";
import { pusher, startTestRegistry, type TestRegistry } from "../../../harness/testRegistry.ts";

interface ShownChartVersion extends ShownVersion {
  type: string;
  chart_repo_name: string;
  original_chart_repo_name: string;
  services: (ShownVersion["services"][0] & {
    chart_name: string;
    original_chart_version: string;
    chart_version: string;
    chart_status: string;
  })[];
}

const login = { username: "robot", password: "its-secret-word" };
let setting: VersionSetting;
let hub: TestRegistry;
let museum: Museum;
let receiver: HookReceiver;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "slipway-charts-"));
  [setting, hub, museum, receiver] = await Promise.all([
    startForChartVersions(),
    startTestRegistry({ credentials: login }),
    startMuseum(login),
    startHookReceiver(),
  ]);
  const { calls, source } = setting;
  await addChartRepository(calls, { repo_name: "hub", type: "oci", url: `http://${hub.address}/team`, ...login });
  await addChartRepository(calls, { repo_name: "museum", type: "http", url: `http://${museum.address}/`, ...login });
  await pusher(source.address).image("dev/web", "1");
}, 60_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([setting, hub, museum, receiver].map((one) => one.close()));
});

afterEach(() => {
  hub.trouble = undefined;
  museum.trouble = undefined;
});

const helm = async (...args: string[]): Promise<string> => {
  const program = process.env.SLIPWAY_HELM ?? unpackHelm(folder) ?? "helm";
  return (await promisify(execFile)(program, args, { cwd: folder, env: { HOME: folder } })).stdout;
};

const create = (name: string, more: object = {}) =>
  setting.calls.ok("POST", `${releases}/helm`, chartVersionBody(setting, name, more));
const ended = (name: string) => endOf(setting.slipway, name, "charts") as Promise<ShownChartVersion>;
const sha256 = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

async function made(name: string, more: object = {}): Promise<ShownChartVersion> {
  await create(name, more);
  const version = await ended(name);
  expect(version).toMatchObject({ status: "success", error: "" });
  return version;
}

async function failed(name: string, more: object = {}): Promise<string> {
  await create(name, more);
  const version = await ended(name);
  expect(version.status).toBe("failed");
  expect(version.services[0]).toMatchObject({ chart_status: "failed", error: version.error });
  for (const { status } of version.services[0]?.images ?? []) expect(status).toBe("");
  return version.error;
}

async function problems(name: string, more: object): Promise<string[]> {
  const { status, json } = await setting.calls.refused(
    "POST",
    `${releases}/helm`,
    chartVersionBody(setting, name, more),
  );
  expect(status).toBe(400);
  return (json.extra.problems ?? []).map(({ path, problem }) => `${path}: ${problem}`);
}

/** What Helm itself pulls, with the manifest that it saw. */
async function pulled(version: string): Promise<{ archive: Buffer; values: string; chart: string }> {
  const plain = ["--plain-http", "--username", login.username, "--password", login.password];
  const from = [`oci://${hub.address}/team/web`, "--version", version, ...plain];
  await helm("pull", ...from);
  const [values, chart] = [await helm("show", "values", ...from), await helm("show", "chart", ...from)];
  return { archive: readFileSync(join(folder, `web-${version}.tgz`)), values, chart };
}

describe("a version of charts", () => {
  test("pushes its chart with values and images into a registry, where Helm takes it from, and tells the hook", async () => {
    const { calls, slipway, target } = setting;
    const hook = "/openapi/projects/project/deliveryHook?projectKey=charts";
    await calls.ok("PUT", hook, { enable: true, hook_host: receiver.url, path: "told" });
    const version = await made("1.2.0", { desc: "first", labels: ["q4"] });
    expect(version).toMatchObject({ type: "HelmChart", chart_repo_name: "hub", project_key: "charts" });
    expect(version.services[0]).toMatchObject({
      ...{ service_name: "web", chart_name: "web", chart_version: "1.2.0", original_chart_version: "1.0.0" },
      ...{ chart_status: "passed", error: "" },
      images: [{ status: "passed", image_path: { image: "image.repository", tag: "image.tag" } }],
    });
    const { archive, values, chart } = await pulled("1.2.0");
    expect(chart).toMatch(/^appVersion: 1\.2\.0$/m);
    expect(chart).toMatch(/^version: 1\.2\.0$/m);
    expect(values).toContain(`repository: ${target.address}/rel/web\n`);
    expect(values).toMatch(/tag: "?1\.2\.0"?$/m);
    const stands = JSON.parse((await pusher(hub.address, basic()).read("team/web", "1.2.0")) ?? "{}");
    expect(stands.layers[0].digest).toBe(sha256(archive));
    const manifest = (await slipway.call("GET", `${releases}/${version.id}/manifest`)).text;
    const digest = version.services[0]?.images[0]?.digest;
    expect(manifest).toContain(`image: "${target.address}/rel/web:1.2.0@${digest}"`);
    expect(receiver.received).toHaveLength(1);
    const image = `${target.address}/rel/web:1.2.0@${digest}`;
    expect(JSON.parse(receiver.received[0]?.body ?? "{}").charts).toEqual([
      {
        ...{ chart_name: "web", chart_version: "1.2.0", chart_url: `oci://${hub.address}/team/web:1.2.0` },
        images: [{ service_module: "web", image }],
      },
    ]);
    await calls.ok("PUT", hook, { enable: false });
  });

  test("of another version takes its chart from its repository, its values and paths from the version", async () => {
    await made("1.3.0", { services: [{ service_name: "web", chart_version: "1.3.0", yaml_content: colored("red") }] });
    const version = await made("2.0.0", {
      ...{ source: "from_version", original_version_name: "1.3.0" },
      services: [{ service_name: "web", chart_version: "2.0.0-rc.1+b7" }],
    });
    expect(version).toMatchObject({ original_chart_repo_name: "hub" });
    expect(version.services[0]).toMatchObject({ original_chart_version: "1.3.0", chart_version: "2.0.0-rc.1+b7" });
    expect((await pulled("2.0.0-rc.1+b7")).values).toContain("color: red\n");
  });

  test("may be pushed to what has the interface of ChartMuseum; Helm finds it in its index", async () => {
    const version = await made("3.0.0", { chart_repo_name: "museum" });
    expect(museum.requests.filter((line) => line.startsWith("POST"))).toEqual(["POST /api/charts"]);
    const credentials = ["--username", login.username, "--password", login.password];
    await helm("repo", "add", "museum", `http://${museum.address}/`, ...credentials);
    expect(await helm("show", "values", "museum/web", "--version", "3.0.0")).toContain("rel/web");
    expect(version.services[0]?.chart_status).toBe("passed");
  });

  test("that is pushed again finds what stands, and never replaces other content", async () => {
    for (const [repository, door] of [
      ["hub", hub],
      ["museum", museum],
    ] as const) {
      const services = (color: string) => [
        { service_name: "web", chart_version: "4.0.0", yaml_content: colored(color) },
      ];
      const of = (color: string) => ({ chart_repo_name: repository, services: services(color) });
      await made(`${repository} one`, of("red"));
      door.requests.length = 0;
      await made(`${repository} same`, of("red"));
      expect(door.requests.filter((line) => /^(PUT|POST|PATCH)/.test(line))).toEqual([]);
      expect(await failed(`${repository} other`, of("blue"))).toMatch(
        /^chart web 4\.0\.0 of service web: chart repository \w+: it has chart web 4\.0\.0 with other content \(sha256:\w{64}\)/,
      );
    }
  });

  test("finds its upload by its file where an index does not show it yet", async () => {
    museum.indexLags = true;
    const services = [{ service_name: "web", chart_version: "4.1.0", yaml_content: colored("red") }];
    await made("lagging", { chart_repo_name: "museum", services });
    await made("lagging again", { chart_repo_name: "museum", services });
    museum.indexLags = false;
  });

  test("is done again by a retry, which pushes the package that was made", async () => {
    hub.trouble = (request, response) => {
      if (request.method !== "PUT" || !request.url?.includes("/manifests/")) return false;
      response.writeHead(403).end();
      return true;
    };
    expect(await failed("5.0.0")).toContain("the registry refuses (403)");
    hub.trouble = undefined;
    const { id } = await ended("5.0.0");
    await setting.calls.ok("POST", `${releases}/retry`, { id, projectKey: "charts" });
    expect(await ended("5.0.0")).toMatchObject({ status: "success", error: "" });
    await pulled("5.0.0");
  });
});

/** All values of the chart. */
const colored = (color: string) =>
  `replicaCount: 1\ncolor: ${color}\nimage: {repository: registry.example.com/team/web, tag: v1}\n`;

const basic = () => ({
  authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`,
});

describe("a version of charts is refused", () => {
  test("with every field that is wrong", async () => {
    const service = { service_name: "web", chart_version: "1.2.0" };
    expect(await problems("x", { chart_repo_name: "", image_registry_id: "", services: [] })).toEqual([
      "image_registry_id: image registry not appointed: image_registry_id cannot be empty",
      "chart_repo_name: chart_repo_name cannot be empty",
      "services: no service info appointed; name at least one",
    ]);
    expect(await problems("x", { services: [{ ...service, chart_version: "v1" }] })).toEqual([
      "services[0].chart_version: must be a version such as 1.2.3 or 1.2.3-rc.1",
    ]);
    expect(await problems("x", { chart_repo_name: "none" })).toEqual([
      "chart_repo_name: chart repository none does not exist; register it first",
    ]);
    expect(await problems("x", { services: [{ ...service, service_name: "other" }] })).toEqual([
      "services[0].service_name: project charts has no test service other that is a chart",
    ]);
    expect(await problems("x", { services: [{ ...service, yaml_content: "- a\n" }] })).toEqual([
      "services[0].yaml_content: values must be a map of keys, not a list or a text",
    ]);
    const [image] = chartVersionBody(setting, "x").services[0]?.images ?? [];
    const images = [{ ...image, image_path: { image: "a..b" } }];
    expect(await problems("x", { services: [{ ...service, images }] })).toEqual([
      "services[0].images[0].image_path: image: a..b names no place in values; write image.tag or containers[0].image",
    ]);
    const from = { source: "from_version", services: [{ ...service, images: [image] }] };
    expect(await problems("x", from)).toEqual([
      "services[0].original_chart_version: is required without original_version_name: it says which chart is fetched",
    ]);
  });

  test("in a project that has no charts", async () => {
    const body = { ...chartVersionBody(setting, "x"), project_key: "shop" };
    const { status, json } = await setting.calls.refused("POST", `${releases}/helm`, body);
    expect([status, json.description]).toEqual([400, expect.stringContaining("project shop is of type yaml")]);
  });
});

describe("a version of charts fails, and says why", () => {
  const answers: [string, number, Record<string, string>, RegExp][] = [
    ["401", 401, {}, /does not accept the username and password of the repository for a push \(401\)/],
    ["a redirect inwards", 307, { location: "http://10.0.0.1/" }, /sends a push on to another address \(307\)/],
    ["a web page", 200, { "content-type": "text/html" }, /answers with a web page to a push, so it is no ChartMuseum/],
    ["too large", 413, {}, /takes no chart of this size \(413\)/],
    ["no such interface", 404, {}, /takes no charts \(404\); it must have the interface of ChartMuseum/],
  ];
  test.each(answers)("where a ChartMuseum answers with %s", async (name, status, headers, said) => {
    museum.trouble = (request, response) => {
      if (request.method !== "POST") return false;
      request.resume();
      response.writeHead(status, headers).end("<html></html>");
      return true;
    };
    expect(await failed(`museum ${name}`, { chart_repo_name: "museum" })).toMatch(said);
  });

  test("where its index sends inwards, or a registry refuses", async () => {
    museum.trouble = (_, response) => {
      response.writeHead(302, { location: "http://10.0.0.1/index.yaml" }).end();
      return true;
    };
    expect(await failed("inwards", { chart_repo_name: "museum" })).toContain("sends on to 10.0.0.1");
    hub.trouble = (_, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
      return true;
    };
    expect(await failed("6.0.0")).toContain("the registry asks for another login (401)");
  });

  test("where its templates do not take the values, before anything is pushed", async () => {
    const services = [{ service_name: "web", chart_version: "6.1.0", yaml_content: `fail: true\n${colored("red")}` }];
    hub.requests.length = 0;
    expect(await failed("6.1.0", { services })).toContain("asked to fail");
    expect(hub.requests).toEqual([]);
  });
});

describe("the charts of versions", () => {
  const charts = "/api/aslan/delivery/releases/helm/charts";
  const download = (query: object) => {
    const asked = new URLSearchParams({ projectName: "charts", chartName: "web", ...query });
    const url = `${setting.slipway.runtime.url}${charts}?${asked}`;
    return fetch(url, { headers: { authorization: `Bearer ${adminToken}` } });
  };
  const saidOf = (query: object) => setting.calls.refused("GET", `${charts}?${new URLSearchParams({ ...query })}`);

  test("are downloaded as they were pushed", async () => {
    await made("7.0.0");
    const answer = await download({ version: "7.0.0" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/gzip");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="web-7.0.0.tgz"');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(sha256(bytes)).toBe(sha256((await pulled("7.0.0")).archive));
  });

  test("are refused where there are none", async () => {
    const asked = { projectName: "charts", version: "7.0.0", chartName: "web" };
    expect(await saidOf({ ...asked, version: "none" })).toMatchObject({ status: 404 });
    const other = await saidOf({ ...asked, chartName: "other" });
    expect(other).toMatchObject({ status: 404 });
    expect(other.json.description).toContain("chart other in version 7.0.0, whose charts are web");
    const nothing = await saidOf({ projectName: "charts" });
    expect((nothing.json.extra.problems ?? []).map(({ path }) => path)).toEqual(["version", "chartName"]);
    const broken = { service_name: "web", chart_version: "7.1.0", yaml_content: "replicaCount: two" };
    const error = await failed("7.1.0", { services: [broken] });
    const unpacked = await saidOf({ ...asked, version: "7.1.0" });
    expect(unpacked).toMatchObject({ status: 400, json: { code: 6563, description: error } });
  });

  test("have versions that follow those of a repository", async () => {
    const next = async (chartRepoName: string) =>
      setting.calls.ok("GET", `${charts}/version?chartName=web,new,web&chartRepoName=${chartRepoName}`);
    const unknown = { chartName: "new", chartVersion: "", nextChartVersion: "1.0.0", url: "" };
    const place = `oci://${hub.address}/team/web`;
    await made("30.0.0-rc.1");
    expect(await next("hub")).toEqual([
      { chartName: "web", chartVersion: "30.0.0-rc.1", nextChartVersion: "30.0.0", url: `${place}:30.0.0-rc.1` },
      unknown,
    ]);
    await made("31.0.9", { chart_repo_name: "museum" });
    const url = `http://${museum.address}/charts/web-31.0.9.tgz`;
    expect(await next("museum")).toEqual([
      { chartName: "web", chartVersion: "31.0.9", nextChartVersion: "31.0.10", url },
      unknown,
    ]);
    const nobody = await saidVersion({ chartName: "web", chartRepoName: "nobody" });
    expect(nobody.status).toBe(400);
    expect(nobody.json.extra.problems?.[0]?.problem).toBe("chart repository nobody does not exist; register it first");
    hub.trouble = (_, response) => {
      response.writeHead(401).end();
      return true;
    };
    expect(await saidVersion({ chartName: "web", chartRepoName: "hub" })).toMatchObject({
      status: 400,
      json: { code: 6563 },
    });
    const bad = await saidVersion({ chartName: " , ", chartRepoName: "" });
    expect((bad.json.extra.problems ?? []).map(({ path }) => path)).toEqual(["chartName", "chartRepoName"]);
  });

  const saidVersion = (query: object) =>
    setting.calls.refused("GET", `${charts}/version?${new URLSearchParams({ ...query })}`);
});
