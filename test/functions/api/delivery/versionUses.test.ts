import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  endOf,
  releases,
  startForVersions,
  type VersionSetting,
  versionBody,
} from "../../../harness/deliveryVersions.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import { newPerson } from "../../../harness/people.ts";
import { makeWorkflow, tasksOf } from "../../../harness/tasks.ts";
import { pusher } from "../../../harness/testRegistry.ts";
import { waitFor } from "../../../harness/waitFor.ts";

const clusterId = "0123456789abcdef12345678";
let setting: VersionSetting;
let digests: [string, string];
let ids: [string, string];

const image = (tag: string) => ({ ...setting.image("api", tag), container_name: "main" });
const reference = (tag: string, digest: string) => `${setting.target.address}/rel/api:${tag}@${digest}`;

/** A version of the service `api` with its manifest, and of `notes`, which nothing runs. */
async function version(name: string, tag: string, yaml: string): Promise<string> {
  const { calls, slipway, targetId } = setting;
  const services = [
    { service_name: "api", yaml_content: yaml, images: [image(tag)] },
    { service_name: "notes", yaml_content: "", images: [] },
  ];
  await calls.ok("POST", `${releases}/k8s`, { ...versionBody(name, targetId, []), labels: ["q4", name], services });
  const made = await endOf(slipway, name);
  expect(made.error).toBe("");
  return made.id;
}

async function environment(kind: "dev" | "prod"): Promise<void> {
  const { calls, source, targetId } = setting;
  const prefix = kind === "dev" ? "/openapi/environments" : "/openapi/environments/production";
  const services = kind === "dev" ? "/openapi/service/yaml" : "/openapi/service/yaml/production";
  const yaml = deploymentYaml("api", `${source.address}/dev/api:1`);
  await calls.ok("POST", `${services}/raw?projectKey=shop`, { service_name: "api", yaml });
  const body = { env_key: kind, namespace: `shop-${kind}`, cluster_id: clusterId, registry_id: targetId };
  await calls.ok("POST", `${prefix}?projectKey=shop`, {
    ...body,
    ...(kind === "dev" && { services: [{ service_name: "api" }] }),
  });
  await settled(kind);
  if (kind === "prod")
    await calls.ok("POST", `${prefix}/service/yaml?projectKey=shop`, {
      env_key: kind,
      service_list: [{ service_name: "api" }],
    });
  await settled(kind);
}

interface ShownEnvironment {
  stored_status: string;
  services: { service_name: string; status: string; containers: { name: string; image: string }[] }[];
}

async function settled(kind: "dev" | "prod"): Promise<ShownEnvironment> {
  const path = `/openapi/environments/${kind === "prod" ? "production/" : ""}${kind}?projectKey=shop`;
  let shown: ShownEnvironment | undefined;
  await waitFor(`environment ${kind} to stand`, async () => {
    shown = (await setting.slipway.call<ShownEnvironment>("GET", path)).json;
    return ["running", "succeeded", "success"].includes(shown.stored_status);
  });
  if (shown === undefined) throw new Error("no environment was read");
  return shown;
}

const imageIn = async (kind: "dev" | "prod") => (await settled(kind)).services[0]?.containers[0]?.image;
const deployPath = (id: string, more = "") => `${releases}/${id}/deploy?projectKey=shop${more}`;

beforeAll(async () => {
  setting = await startForVersions();
  const push = pusher(setting.source.address);
  digests = [(await push.image("dev/api", "1")).digest, (await push.image("dev/api", "2")).digest];
  ids = [
    await version("1.0", "1", `# kept\n${deploymentYaml("api", "anything:else")}`),
    await version("2.0", "2", deploymentYaml("api", "anything:else")),
  ];
  await environment("dev");
  await environment("prod");
}, 90_000);

afterAll(() => setting.close());

describe("a version that stands", () => {
  test("is one manifest with its images by digest", async () => {
    const { text } = await setting.slipway.call("GET", `${releases}/${ids[0]}/manifest`);
    expect(text).toContain(reference("1", digests[0]));
    expect(text).not.toContain("anything:else");
    expect(text).toContain("# kept");
    expect(text).toContain("---\n# service notes: the version has no manifest of it");
  });

  test("is compared with another, images and YAML", async () => {
    const { services, ...of } = await setting.calls.ok<{
      services: { service_name: string; change: string; images: unknown[]; yaml_diff: string }[];
    }>("GET", `${releases}/${ids[0]}/diff/${ids[1]}`);
    expect(of).toEqual({ id: ids[0], version_name: "1.0", other_id: ids[1], other_version_name: "2.0" });
    const at = (tag: string, digest: string) => ({ image: `${setting.target.address}/rel/api:${tag}`, digest });
    expect(services.map(({ service_name, change }) => [service_name, change])).toEqual([
      ["api", "changed"],
      ["notes", "unchanged"],
    ]);
    expect(services[0]?.images).toEqual([
      { container_name: "main", change: "changed", before: at("1", digests[0]), after: at("2", digests[1]) },
    ]);
    expect(services[0]?.yaml_diff).toContain("--- 1.0/api\n+++ 2.0/api\n");
    expect(services[0]?.yaml_diff).toContain("-# kept");
  });

  test("is read by nobody else", async () => {
    const person = await newPerson("elsewhere", [{ namespace: "other", roles: { sees: ["get_delivery"] } }]);
    for (const path of [`${ids[0]}/manifest`, `${ids[0]}/diff/${ids[1]}`])
      expect((await setting.slipway.call("GET", `${releases}/${path}`, person)).status).toBe(404);
  });

  test("gives its labels and its name to the console", async () => {
    const of = "/api/aslan/delivery/releases";
    expect(await setting.calls.ok("GET", `${of}/labels?projectName=shop`)).toEqual(["1.0", "2.0", "q4"]);
    expect(await setting.calls.ok("GET", `${of}/labels?projectName=other`)).toEqual([]);
    expect(await setting.calls.ok("GET", `${of}/check?projectName=shop&version=3.0`)).toEqual({ message: "success" });
    for (const name of ["1.0", ""])
      expect((await setting.calls.refused("GET", `${of}/check?projectName=shop&version=${name}`)).json.code).toBe(6566);
  });
});

describe("a version is deployed", () => {
  const dev = { env_key: "dev", production: false, services: ["api"] };

  test("by digest, and nothing else of the service changes; a preview changes nothing", async () => {
    const { calls, source } = setting;
    // Its definition moves on, the environment does not.
    const yaml = deploymentYaml("api", `${source.address}/dev/api:9`);
    await calls.ok("PUT", "/openapi/service/yaml/api?projectKey=shop", { type: "k8s", yaml });
    const report = await calls.ok<{ dry_run: boolean; objects: { action: string; diff: string }[] }>(
      "POST",
      deployPath(ids[1], "&dryRun=true"),
      dev,
    );
    expect(report.dry_run).toBe(true);
    expect(report.objects.map(({ action }) => action)).toEqual(["change"]);
    expect(report.objects[0]?.diff).toContain(reference("2", digests[1]));
    expect(await imageIn("dev")).toBe(`${source.address}/dev/api:1`);
    await calls.ok("POST", deployPath(ids[1]), dev);
    await waitFor("the image to be there", async () => (await imageIn("dev")) === reference("2", digests[1]));
    const { services } = await settled("dev");
    expect(services[0]).toMatchObject({ service_name: "api", status: "running" });
    // All services of it that have images; those without are nobody's business.
    await calls.ok("POST", deployPath(ids[0]), { env_key: "dev" });
    await waitFor("the image to be there", async () => (await imageIn("dev")) === reference("1", digests[0]));
    const traced = await calls.ok<{ environments: { env_key: string }[] }>(
      "GET",
      `/openapi/artifacts/trace?image=${digests[0]}`,
    );
    expect(traced.environments.map(({ env_key }) => env_key)).toContain("dev");
  });

  test("into production by those who may, and not during a freeze", async () => {
    const { calls, slipway } = setting;
    const prod = { env_key: "prod", production: true };
    const roles = (...verbs: string[]) => [{ namespace: "shop", roles: { some: ["get_delivery", ...verbs] } }];
    const tests = await newPerson("tests", roles("config_environment"));
    const ships = await newPerson("ships", roles("config_production_environment"));
    const blind = await newPerson("blind", [
      { namespace: "shop", roles: { other: ["config_production_environment"] } },
    ]);
    const as = async ({ token }: { token: string }) =>
      (await slipway.call("POST", deployPath(ids[0], "&dryRun=true"), { token, body: prod })).status;
    expect([await as(tests), await as(blind), await as(ships)]).toEqual([403, 403, 200]);
    const now = Math.floor(Date.now() / 1000);
    const { id } = await calls.ok<{ id: string }>("POST", "/openapi/release_plan/v1/freezes", {
      ...{ name: "quiet days", reason: "holidays" },
      ...{ start_time: now - 60, end_time: now + 3600 },
    });
    expect((await calls.refused("POST", deployPath(ids[0]), prod)).status).toBe(409);
    await calls.ok("DELETE", `/openapi/release_plan/v1/freezes/${id}`);
    await calls.ok("POST", deployPath(ids[0]), prod);
    await waitFor("the image to be there", async () => (await imageIn("prod")) === reference("1", digests[0]));
  });

  test("only where that is possible, and the answer says what is not", async () => {
    const { calls, targetId, slipway } = setting;
    const said = async (body: object, id = ids[0], status = 400) => {
      const answer = await calls.refused("POST", deployPath(id), body);
      expect(answer.status, answer.text).toBe(status);
      return answer.json.description;
    };
    expect(await said({ ...dev, services: ["none"] })).toContain("services[0]: version 1.0 has no none");
    expect(await said({ ...dev, services: ["notes"] })).toBe("version 1.0 has no image to deploy");
    expect(await said({ ...dev, services: [] })).toContain("must name at least one");
    expect(await said({ ...dev, env_key: "nowhere" }, ids[0], 404)).toContain("nowhere");
    expect(await said({ ...dev, production: true }, ids[0], 404)).toContain("dev");
    expect(await said(dev, "0".repeat(24), 404)).toContain("delivery version");
    const unread = { ...image("7"), push_image: false, target_image: `${setting.source.address}/dev/none:1` };
    const lonely = { service_name: "lonely", images: [image("1")] };
    await calls.ok("POST", `${releases}/k8s`, {
      ...versionBody("3.0", targetId, []),
      services: [{ service_name: "api", images: [unread] }, lonely, { service_name: "bare", images: [] }],
    });
    const { id } = await endOf(slipway, "3.0");
    expect(await said(dev, id)).toContain(`version 3.0 has no digest of ${setting.source.address}/dev/none:1`);
    expect(await said({ ...dev, services: ["lonely"] }, id)).toContain(
      "services: lonely of version 3.0 are not in environment dev; add them first",
    );
    expect((await slipway.call("GET", `${releases}/${id}/manifest`)).status).toBe(400);
    await calls.ok("POST", `${releases}/k8s`, versionBody("4.0", targetId, [setting.image("gone")]));
    const failed = await endOf(slipway, "4.0");
    expect(await said(dev, failed.id)).toBe("version 4.0 has failed; retry it first");
    await calls.ok("POST", `${releases}/k8s`, {
      ...versionBody("5.0", targetId, []),
      services: [{ service_name: "api", images: [{ ...image("1"), container_name: "side" }] }],
    });
    const other = await endOf(slipway, "5.0");
    expect(await said(dev, other.id)).toContain("service api has no container side; it has main");
  });
});

test("a deploy job takes the images of a version, by digest", async () => {
  const { slipway } = setting;
  const tasks = tasksOf(slipway, "shop");
  const run = async (name: string, spec: object, params: object[] = []) => {
    const jobs = [{ name: "ship", type: "zadig-deploy", spec: { env: "dev", source: "runtime", ...spec } }];
    await makeWorkflow("shop", { name, params, stages: [{ name: "ship", jobs }] });
    const body = { project_key: "shop", workflow_key: name, inputs: [{ job_name: "ship", parameters: {} }] };
    return slipway.call<{ task_id: number; description: string; code: number }>(
      "POST",
      "/openapi/workflows/custom/task",
      { body },
    );
  };
  const params = [{ name: "release", type: "string", value: "2.0" }];
  const started = await run("by-version", { version_name: "{{.workflow.params.release}}" }, params);
  expect(started.status, started.text).toBe(200);
  const task = await tasks.end("by-version", started.json.task_id);
  expect(task.status).toBe("passed");
  expect(task.stages[0]?.jobs.map(({ spec }) => spec.service_and_images)).toEqual([
    [{ service_name: "api", service_module: "main", image: reference("2", digests[1]) }],
  ]);
  expect(await imageIn("dev")).toBe(reference("2", digests[1]));
  const said = async (name: string, spec: object) => {
    const { json } = await run(name, spec);
    expect(json.code).toBe(6160);
    return json.description;
  };
  expect(await said("no-version", { version_name: "9.9" })).toBe(
    "job ship: version 9.9 does not exist in project shop",
  );
  expect(await said("failed-version", { version_name: "4.0" })).toBe(
    "job ship: version 4.0 has failed; retry it first",
  );
  const side = { service_name: "api", modules: [{ service_module: "side" }] };
  expect(await said("no-module", { version_name: "1.0", services: [side] })).toBe(
    "job ship: version 1.0 has no image of api/side",
  );
  expect(await said("late", { version_name: "{{.job.build.output.NAME}}" })).toContain(
    "must be known when the task starts",
  );
});

test("global variables stand over the values of charts", async () => {
  const path = "/api/aslan/delivery/releases/helm/global-variables";
  const answer = await setting.calls.ok("POST", path, {
    globalVariables: "image:\n  tag: v2\nlist: [3]\n",
    services: [
      { service_name: "cart", yaml_content: "image:\n  name: cart\n  tag: v1\nlist: [1, 2]\n" },
      { service_name: "bare", yaml_content: "" },
    ],
  });
  expect(answer).toEqual({
    services: [
      { service_name: "cart", yaml_content: "image:\n  name: cart\n  tag: v2\nlist:\n  - 3\n" },
      { service_name: "bare", yaml_content: "image:\n  tag: v2\nlist:\n  - 3\n" },
    ],
  });
  const wrong = { globalVariables: "- 1", services: [{ service_name: "cart", yaml_content: "a: [" }] };
  const { json } = await setting.calls.refused("POST", path, wrong);
  expect((json.extra.problems ?? []).map(({ path }) => path)).toEqual(["globalVariables", "services[0].yaml_content"]);
});
