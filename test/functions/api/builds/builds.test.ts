import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { table } from "../../../../shared/base/store/table.ts";
import { startUse } from "../../../../shared/base/store/uses.ts";
import { readCredentials } from "../../../../shared/workflows/jobDefinitions/readCredentials.ts";
import { builds, findBuild } from "../../../../shared/workflows/jobDefinitions/store/builds.ts";
import { type DefinitionCalls, idOf, repo, startForDefinitions } from "../../../harness/definitionCalls.ts";
import { pendingCluster } from "../../../harness/pendingCluster.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { sample } from "./sample.ts";

interface Parameter {
  key: string;
  value: string;
}
interface Detail {
  [field: string]: unknown;
  parameters: Parameter[];
}
interface List {
  total: number;
  builds: { name: string; update_time: number; [field: string]: unknown }[];
}

const path = "/openapi/build";
let calls: DefinitionCalls;

beforeAll(async () => {
  calls = await startForDefinitions();
  // The sample asks for its node's container engine.
  for (const key of ["shop", "other"])
    await calls.ok("PUT", `/openapi/system/projects/${key}/boundary`, { privileged_jobs: true });
});

afterAll(() => calls.slipway.close());

const detail = (name: string, more = "") =>
  calls.ok<Detail>("GET", `${path}/${encodeURIComponent(name)}/detail?projectKey=shop${more}`);
const remove = (name: string) => calls.ok("DELETE", `${path}?projectKey=shop&name=${encodeURIComponent(name)}`);
/** Lets some time go by that is as long as requests take. */
async function afterReads(times: number, address: string): Promise<void> {
  for (let time = 0; time < times; time++) await calls.slipway.call("GET", address);
}

const list = (more = "") => calls.ok<List>("GET", `${path}?projectKey=shop${more}`);

async function secretsOf(name: string): Promise<Map<string, string>> {
  const build = await findBuild("shop", name);
  if (build === undefined) throw new Error(`no build ${name}`);
  return readCredentials(builds, build);
}

describe("a build", () => {
  test("is shown with everything that was sent, credentials masked", async () => {
    expect(await calls.ok("POST", path, sample)).toEqual({ message: "success" });
    const shown = await detail("web-build");
    expect(shown).toMatchObject({
      project_key: "shop",
      name: "web-build",
      source: "zadig",
      template_name: "",
      update_by: "admin",
      target_services: sample.services,
      build_env: { basic_image_label: "node 24", installs: sample.installs },
      advanced_settings: sample.advanced_settings,
      build_script: sample.build_script,
      outputs: ["IMAGE", "PKG_FILE", "VERSION"].map((name) => ({ name, description: "" })),
      post_build: {
        docker_build: {
          work_dir: "web",
          build_args: "--build-arg A=1",
          source: "template",
          template_name: "node",
          enable_buildkit: true,
          platform: "linux/amd64,linux/arm64",
        },
        object_storage_upload: null,
        scripts: "",
      },
    });
    const repository = {
      source: "gitlab",
      repo_owner: "team",
      repo_name: "web",
      branch: "main",
      remote_name: "origin",
    };
    expect(shown.repos).toMatchObject([{ ...repository, checkout_path: "", submodules: false, hidden: false }]);
    expect(shown.parameters).toMatchObject([
      { key: "LEVEL", value: "low", type: "choice", choice_option: ["low", "high"], is_credential: false },
      { key: "TOKEN", value: "********", type: "string", is_credential: true },
    ]);
    await remove("web-build");
  });

  test("without settings runs in the installation's own cluster for an hour", async () => {
    const { advanced_settings: _, docker_build_step: __, parameters: ___, repo_info: ____, ...least } = sample;
    await calls.ok("POST", path, { ...least, build_os: "ubuntu 20.04", installs: [], services: [] });
    const shown = await detail("web-build");
    expect(shown).toMatchObject({
      build_env: { basic_image_id: "", basic_image_label: "ubuntu 20.04", installs: [] },
      advanced_settings: {
        cluster_name: "local",
        timeout: 60,
        resource_spec: { cpu_limit: 1000, memory_limit: 512 },
        cache_setting: { enabled: false },
        storages: { enabled: false, storages_properties: [] },
        outputs: [],
      },
      repos: [],
      parameters: [],
      outputs: [{ name: "IMAGE" }, { name: "PKG_FILE" }],
      post_build: { docker_build: null },
    });
    await remove("web-build");
  });

  test("takes its project from the query when the body leaves it out", async () => {
    const { project_key: _, ...rest } = sample;
    await calls.ok("POST", `${path}?projectKey=shop`, rest);
    expect((await detail("web-build")).project_key).toBe("shop");
    await remove("web-build");
  });

  test("has a name that is unique in the installation", async () => {
    await calls.ok("POST", path, sample);
    for (const project_key of ["shop", "other"]) {
      const { status, json } = await calls.refused("POST", path, { ...sample, project_key });
      expect([status, json.code]).toEqual([400, 6520]);
      expect(json.description).toBe("a build with the name web-build exists");
    }
    await remove("web-build");
    await calls.ok("POST", path, { ...sample, project_key: "other" });
    await calls.ok("DELETE", `${path}?projectKey=other&buildName=web-build`);
  });

  test("of two made at once under one name is made once", async () => {
    const answers = await Promise.all(
      ["shop", "other", "shop", "other"].map((project_key) =>
        calls.slipway.call("POST", path, { body: { ...sample, name: "once", project_key } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    for (const project of ["shop", "other"]) await calls.ok("DELETE", `${path}?projectKey=${project}&name=once`);
  });

  test.each(["constructor", "größe 大", "a.b", "x".repeat(64)])("may be called %s", async (name) => {
    await calls.ok("POST", path, { ...sample, name });
    expect((await detail(name)).name).toBe(name);
    await remove(name);
  });

  test("names everything that it refers to and that does not exist, at once", async () => {
    const body = {
      ...sample,
      build_os: "nothing 1",
      repo_info: [repo, { ...repo, codehost_name: "nowhere" }],
      docker_build_step: { ...sample.docker_build_step, template_name: "nobody" },
      advanced_settings: { ...sample.advanced_settings, cluster_name: "none" },
    };
    const { status, json } = await calls.refused("POST", path, body);
    expect([status, json.code]).toEqual([400, 6520]);
    for (const part of ["base image nothing 1", "code host nowhere", "Dockerfile template nobody", "cluster none"])
      expect(json.description).toContain(`${part} does not exist`);
  });

  test.each([
    ["name", ""],
    ["name", "a/b"],
    ["infrastructure", "cloud"],
    ["build_os", ""],
    ["installs", undefined],
    ["script_type", "perl"],
    ["build_script", ""],
    ["services", undefined],
    ["parameters", [{ key: "", type: "string", default_value: "" }]],
    ["docker_build_step", { dockerfile_source: "elsewhere" }],
    ["advanced_settings", { timeout: -1 }],
  ])("is refused with a sentence about %s when it is %j", async (field, value) => {
    const { status, json } = await calls.refused("POST", path, { ...sample, [field]: value });
    expect([status, json.code]).toEqual([400, 400]);
    expect(json.extra.problems?.every((problem) => problem.path.startsWith(field))).toBe(true);
  });

  test("of an unknown project is 404, for creating and for listing", async () => {
    expect((await calls.refused("POST", path, { ...sample, project_key: "nowhere" })).status).toBe(404);
    expect((await calls.refused("GET", `${path}?projectKey=nowhere`)).status).toBe(404);
  });
});

describe("replacing a build", () => {
  beforeAll(() => calls.ok("POST", path, sample));
  afterAll(() => remove("web-build"));

  test("replaces what was sent, and keeps a credential that comes back as stars", async () => {
    const { parameters } = await detail("web-build");
    await calls.ok("PUT", path, { ...sample, build_script: "make all", parameters });
    expect((await detail("web-build")).build_script).toBe("make all");
    expect(await secretsOf("web-build")).toEqual(new Map([["TOKEN", "a-secret-value"]]));
  });

  test("takes a new credential, and forgets one that is left out or emptied", async () => {
    const token = { key: "TOKEN", type: "string", default_value: "another", is_credential: true };
    await calls.ok("PUT", path, { ...sample, parameters: [token] });
    expect(await secretsOf("web-build")).toEqual(new Map([["TOKEN", "another"]]));
    await calls.ok("PUT", path, { ...sample, parameters: [{ ...token, default_value: "" }] });
    expect((await detail("web-build")).parameters).toMatchObject([{ key: "TOKEN", value: "" }]);
    expect(await secretsOf("web-build")).toEqual(new Map());
  });

  test("refuses stars where nothing is stored, also where a credential would become plain", async () => {
    await calls.ok("PUT", path, sample);
    for (const more of [{ key: "NEW" }, { key: "TOKEN", is_credential: false }]) {
      const parameters = [{ type: "string", default_value: "********", is_credential: true, ...more }];
      const { status, json } = await calls.refused("PUT", path, { ...sample, parameters });
      expect([status, json.extra.problems?.map((problem) => problem.path)]).toEqual([400, ["parameters[0]"]]);
    }
  });

  test("of one that does not exist is 404", async () => {
    expect((await calls.refused("PUT", path, { ...sample, name: "absent" })).status).toBe(404);
    expect((await calls.refused("PUT", path, { ...sample, project_key: "other" })).status).toBe(404);
  });

  test("never leaves a credential in a plain item", async () => {
    const build = await findBuild("shop", "web-build");
    const items = await table().query({ pk: builds.key("shop", "web-build").pk });
    expect(build?.secretFields).toEqual(["#TOKEN"]);
    expect(items.length).toBeGreaterThan(1);
    expect(JSON.stringify(items)).not.toContain("a-secret-value");
  });

  test("by two at once ends with what one of them sent, and both are told", async () => {
    const scripts = ["one", "two", "three"];
    await Promise.all(scripts.map((build_script) => calls.ok("PUT", path, { ...sample, build_script })));
    expect(scripts).toContain((await detail("web-build")).build_script);
  });
});

describe("what a build refers to", () => {
  beforeAll(() => calls.ok("POST", path, sample));
  afterAll(() => remove("web-build"));

  test.each([
    ["/api/aslan/system/codehosts", "alias", "git"],
    ["/api/aslan/system/basicImages", "label", "node 24"],
  ])("in %s is not deleted while it does", async (records, field, name) => {
    const id = await idOf(calls, records, field, name);
    const { status, json } = await calls.refused("DELETE", `${records}/${id}`);
    expect(status).toBe(400);
    expect(json.description).toContain("is used by build web-build of project shop");
  });

  test("is free again when the build refers to another, and held by it", async () => {
    const records = "/api/aslan/system/basicImages";
    const { id } = await calls.ok<{ id: string }>("POST", records, { label: "go 1", value: "golang:1" });
    await calls.ok("PUT", path, { ...sample, build_os: "go 1" });
    expect((await calls.refused("DELETE", `${records}/${id}`)).status).toBe(400);
    await calls.ok("PUT", path, sample);
    await calls.ok("DELETE", `${records}/${id}`);
  });

  test("stays the same record when that is renamed, under its old name and its new one", async () => {
    const records = "/api/aslan/system/basicImages";
    const { id } = await calls.ok<{ id: string }>("POST", records, { label: "go 2", value: "golang:2" });
    await calls.ok("PUT", path, { ...sample, build_os: "go 2" });
    await calls.ok("PUT", `${records}/${id}`, { label: "go two", value: "golang:2" });
    for (const build_os of ["go 2", "go two"]) {
      await calls.ok("PUT", path, { ...sample, build_os });
      expect((await detail("web-build")).build_env).toMatchObject({ basic_image_id: id, basic_image_label: build_os });
    }
    await calls.ok("PUT", path, sample);
    await calls.ok("DELETE", `${records}/${id}`);
  });

  test("holds a cluster and a strategy of it", async () => {
    const id = await pendingCluster("edge", ["shop"]);
    const strategies = `/api/aslan/cluster/clusters/${id}/strategy`;
    const arm = { name: "arm", strategy: "required", node_labels: ["a=b"] };
    const strategy = await calls.ok<{ id: string }>("POST", strategies, arm);
    const advanced_settings = { ...sample.advanced_settings, cluster_name: "edge", strategy_name: "arm" };
    await calls.ok("PUT", path, { ...sample, advanced_settings });
    expect((await detail("web-build")).advanced_settings).toMatchObject({ cluster_name: "edge", strategy_name: "arm" });
    expect((await calls.refused("DELETE", `${strategies}/${strategy.id}`)).json.code).toBe(6645);
    const refusal = await calls.refused("DELETE", `/openapi/system/cluster/${id}`);
    expect([refusal.json.code, refusal.json.description]).toEqual([6644, expect.stringContaining("build web-build")]);
    const { json } = await calls.refused("POST", path, {
      ...sample,
      name: "foreign",
      project_key: "other",
      advanced_settings,
    });
    expect([json.code, json.description]).toEqual([6520, expect.stringContaining("is not related to other")]);
    await calls.ok("PUT", path, sample);
    await calls.ok("DELETE", `/openapi/system/cluster/${id}`);
  });
});

describe("a build that begins to refer to a record while that is deleted", () => {
  test("is refused, or holds it: never is one saved that refers to nothing", async () => {
    const records = "/api/aslan/system/basicImages";
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const label = `image ${round}`;
      const name = `racing-${round}`;
      const { id } = await calls.ok<{ id: string }>("POST", records, { label, value: "node:1" });
      const [made, deleted] = await Promise.all([
        calls.slipway.call("POST", path, { body: { ...sample, name, build_os: label } }),
        afterReads(round % 6, `${records}/${id}`).then(() => calls.slipway.call("DELETE", `${records}/${id}`)),
      ]);
      const image = await calls.slipway.call("GET", `${records}/${id}`);
      expect([made.status, deleted.status, image.status]).toEqual(
        made.status === 200 ? [200, 400, 200] : [400, 200, 404],
      );
      outcomes.add(`${made.status}`);
      await remove(name);
      await calls.ok("DELETE", `${records}/${id}`);
    }
    console.log(`Who came first in twelve rounds: ${[...outcomes].join(" and ")}.`);
  });
});

describe("deleting a build", () => {
  test("that does not exist is no error, and an empty name is", async () => {
    await remove("absent");
    const { json } = await calls.refused("DELETE", `${path}?projectKey=shop&name=`);
    expect(json.description).toContain("empty build name.");
  });

  test("is refused while a workflow refers to it, naming the workflow", async () => {
    await calls.ok("POST", path, { ...sample, name: "used" });
    const user = { kind: "workflow", projectKey: "shop", name: "release" } as const;
    await table().write(...startUse({ key: builds.key("shop", "used") }, user));
    const { status, json } = await calls.refused("DELETE", `${path}?projectKey=shop&name=used`);
    expect([status, json.code]).toEqual([400, 6524]);
    expect(json.description).toContain("the build used is used by workflow release of project shop");
  });
});

describe("the list of builds", () => {
  test("begins with the one changed last, counts all and comes in pages", async () => {
    const project_key = "listed";
    await calls.ok("POST", "/openapi/projects/project", {
      ...{ project_key, project_name: project_key, project_type: "yaml" },
    });
    await calls.ok("PUT", `/openapi/system/projects/${project_key}/boundary`, { privileged_jobs: true });
    const names = ["a", "b", "c"].map((letter) => `list-${letter}`);
    for (const name of names) await calls.ok("POST", path, { ...sample, name, project_key });
    const page = (more: string) => calls.ok<List>("GET", `${path}?projectKey=${project_key}${more}`);
    const all = await page("");
    expect(all.total).toBe(3);
    expect(all.builds[0]).toEqual({
      ...{ name: expect.any(String), project_key, source: "zadig", update_by: "admin" },
      ...{ update_time: expect.any(Number), target_services: sample.services },
    });
    const times = all.builds.map(({ update_time }) => update_time);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const second = await page("&pageNum=2&pageSize=2");
    expect([second.total, second.builds.length]).toEqual([3, 1]);
    expect((await page("&pageNum=9")).builds).toEqual([]);
    expect((await list()).builds.map(({ name }) => name)).not.toContain("list-a");
  });

  test("goes with the project, and the names are free again", async () => {
    await calls.ok("DELETE", "/openapi/projects/project?projectKey=listed&isDelete=false");
    await waitFor("the name to be free", async () => {
      const answer = await calls.slipway.call("POST", path, { body: { ...sample, name: "list-a" } });
      return answer.status === 200;
    });
    await remove("list-a");
    const id = await idOf(calls, "/api/aslan/system/basicImages", "label", "node 24");
    const { json } = await calls.refused("DELETE", `/api/aslan/system/basicImages/${id}`);
    expect(json.description).not.toContain("listed");
  });
});
