import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { DefinitionCalls } from "../../../harness/definitionCalls.ts";
import {
  endOf,
  releases,
  type ShownVersion,
  startForVersions,
  type VersionSetting,
  versionBody,
} from "../../../harness/deliveryVersions.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import { newPerson } from "../../../harness/people.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { pusher, type TestRegistry } from "../../../harness/testRegistry.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let slipway: Slipway;
let calls: DefinitionCalls;
let [source, target] = [] as unknown as [TestRegistry, TestRegistry];
let targetId: string;
let image: VersionSetting["image"];
let setting: VersionSetting;

beforeAll(async () => {
  setting = await startForVersions();
  ({ slipway, calls, source, target, targetId, image } = setting);
}, 60_000);

beforeEach(() => {
  for (const registry of [source, target]) registry.trouble = undefined;
});

afterAll(() => setting.close());

const create = (name: string, images: readonly object[], more = {}) =>
  calls.ok("POST", `${releases}/k8s`, versionBody(name, targetId, images, more));
const refused = (name: string, images: readonly object[], more = {}) =>
  calls.refused("POST", `${releases}/k8s`, versionBody(name, targetId, images, more));

async function problems(name: string, images: readonly object[], more = {}): Promise<string[]> {
  const { status, json } = await refused(name, images, more);
  expect(status).toBe(400);
  return (json.extra.problems ?? []).map(({ path, problem }) => `${path}: ${problem}`);
}

describe("a version that is made", () => {
  test("has its images in the target registry, each by the digest of its source", async () => {
    const cart = await pusher(source.address).image("dev/cart", "1");
    const web = await pusher(source.address).index("dev/web", "1", ["amd64", "arm64"]);
    await create(
      "1.0.0",
      [image("cart"), image("web", "1", "v-<SERVICE>-<MODULE>")].map((one) => ({
        ...one,
        target_image: one.target_image.replace("v-<SERVICE>-<MODULE>", "v-web-web"),
      })),
      { labels: ["q4"], desc: "the first" },
    );
    const version = await endOf(slipway, "1.0.0");
    expect(version).toMatchObject({
      status: "success",
      error: "",
      labels: ["q4"],
      desc: "the first",
      created_by: "admin",
    });
    const images = version.services.flatMap((service) => service.images);
    expect(images.map(({ status, digest, platforms }) => ({ status, digest, platforms }))).toEqual([
      { status: "passed", digest: cart.digest, platforms: ["linux/amd64"] },
      { status: "passed", digest: web.digest, platforms: ["linux/amd64", "linux/arm64"] },
    ]);
    expect(images[0]?.size).toBeGreaterThan(1000);
    expect(await pusher(target.address).read("rel/cart", "1")).toBe(await pusher(source.address).read("dev/cart", "1"));
    expect(await pusher(target.address).read("rel/web", "v-web-web")).toBe(
      await pusher(source.address).read("dev/web", "1"),
    );
    const byId = await calls.ok<ShownVersion>("GET", `${releases}/${version.id}`);
    expect(byId).toEqual(version);
    expect(await calls.ok("GET", `/api/aslan/delivery/releases/${version.id}?projectName=shop`)).toEqual(version);
  });

  test("stands in the list of its project, the newest first, and its name is taken there", async () => {
    const unpushed = { service_name: "web", yaml_content: "a: 1", images: [] };
    for (const name of ["listed-a", "listed-b"])
      await calls.ok("POST", `${releases}/k8s`, { ...versionBody(name, "", []), services: [unpushed] });
    const { list, total } = await calls.ok<{ list: ShownVersion[]; total: number }>(
      "GET",
      `${releases}?projectKey=shop&pageSize=2`,
    );
    expect(list.map(({ version_name }) => version_name)).toEqual(["listed-b", "listed-a"]);
    expect(total).toBeGreaterThanOrEqual(2);
    expect(list[0]).not.toHaveProperty("services");
    const again = await refused("listed-a", [image("cart")]);
    expect(again.json).toMatchObject({
      code: 6560,
      description: "failed to insert delivery version listed-a, version already exist",
    });
    await calls.ok("POST", `${releases}/k8s?projectKey=other`, {
      ...versionBody("listed-a", "", []),
      project_key: "other",
      services: [unpushed],
    });
  });

  test("keeps the outcome of the others when one image fails, and a retry copies what has not passed", async () => {
    await pusher(source.address).image("dev/good", "1");
    await create("2.0.0", [image("good"), image("missing")]);
    const version = await endOf(slipway, "2.0.0");
    expect(version.status).toBe("failed");
    const [good, missing] = version.services.flatMap(({ images }) => images);
    expect([good?.status, missing?.status]).toEqual(["passed", "failed"]);
    expect(missing?.error).toMatch(
      /^failed to build image distribute for service: missing, status: failed, err: .*dev\/missing/,
    );
    expect(version.error).toBe(missing?.error);
    const { digest } = await pusher(source.address).image("dev/missing", "1");
    target.requests.length = 0;
    await calls.ok("POST", `${releases}/retry`, { id: version.id, projectKey: "shop" });
    const retried = await endOf(slipway, "2.0.0");
    expect(retried).toMatchObject({ status: "success", error: "" });
    expect(retried.services[1]?.images[0]).toMatchObject({ status: "passed", digest, error: "" });
    expect(target.requests.filter((request) => request.includes("rel/good"))).toEqual([]);
    const refusal = await calls.refused("POST", `${releases}/retry?id=${version.id}&projectKey=shop`);
    expect(refusal).toMatchObject({ status: 400, json: { description: "can't reCreate version with status:success" } });
  });

  test("has what its tag named when it was made, whatever becomes of the tag", async () => {
    const { digest } = await pusher(source.address).image("dev/moving", "1");
    let isMoved = false;
    target.trouble = async ({ method }) => {
      if (method === "GET" || method === "HEAD" || isMoved) return false;
      isMoved = true;
      await pusher(source.address).image("dev/moving", "1");
      return false;
    };
    await create("3.0.0", [image("moving")]);
    const version = await endOf(slipway, "3.0.0");
    expect(isMoved).toBe(true);
    expect(version.services[0]?.images[0]).toMatchObject({ status: "passed", digest });
  });

  test("says the digest of an image that is not pushed when it can be read, and nothing when not", async () => {
    const { digest } = await pusher(source.address).image("dev/stays", "1");
    const stays = { ...image("stays"), push_image: false, target_image: `${source.address}/dev/stays:1` };
    const gone = { ...image("gone"), push_image: false, target_image: `${source.address}/dev/gone:1` };
    await create("4.0.0", [stays, gone]);
    const version = await endOf(slipway, "4.0.0");
    expect(version.status).toBe("success");
    const images = version.services.flatMap((service) => service.images);
    expect(images).toMatchObject([
      { status: "", digest },
      { status: "", digest: "", error: "" },
    ]);
  });

  test("is gone after its deletion, and its name is free; what was pushed stays", async () => {
    await pusher(source.address).image("dev/left", "1");
    await create("5.0.0", [image("left")]);
    const { id } = await endOf(slipway, "5.0.0");
    expect((await calls.refused("DELETE", `${releases}/${id}?projectKey=other`)).status).toBe(404);
    await calls.ok("GET", `${releases}/${id}`);
    await calls.ok("DELETE", `${releases}/${id}?projectKey=shop`);
    expect((await calls.refused("GET", `${releases}/${id}`)).status).toBe(404);
    await calls.ok("DELETE", `${releases}/${id}?projectKey=shop`);
    expect(await pusher(target.address).read("rel/left", "1")).toBeDefined();
    await create("5.0.0", [image("left")]);
    expect((await endOf(slipway, "5.0.0")).status).toBe("success");
  });

  test("is read by whoever may: others are told that there is none", async () => {
    const { id } = await endOf(slipway, "1.0.0");
    const reads = await newPerson("reads", [{ namespace: "shop", roles: { sees: ["get_delivery"] } }]);
    const works = await newPerson("works", [{ namespace: "shop", roles: { builds: ["get_build"] } }]);
    const foreign = await newPerson("foreign", [{ namespace: "other", roles: { sees: ["get_delivery"] } }]);
    const system = await newPerson("system", [{ namespace: "*", roles: { sees: ["release_get"] } }]);
    const statusOf = async ({ token }: { token: string }) =>
      (await slipway.call("GET", `${releases}/${id}`, { token })).status;
    expect(await Promise.all([reads, works, foreign, system].map(statusOf))).toEqual([200, 403, 404, 200]);
  });
});

describe("what a version is made of", () => {
  test("comes from the environment where the request leaves it out, with the YAML as it will be", async () => {
    const yaml = deploymentYaml("api", `${source.address}/dev/api:7`);
    await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "api", yaml });
    const cluster_id = "0123456789abcdef12345678";
    await calls.ok("POST", "/openapi/environments?projectKey=shop", {
      ...{
        env_key: "dev",
        namespace: "shop-dev",
        cluster_id,
        registry_id: targetId,
        services: [{ service_name: "api" }],
      },
    });
    await waitFor("the environment to stand", async () => {
      const { text } = await slipway.call("GET", "/openapi/environments/dev?projectKey=shop");
      return text.includes('"status":"running","stored_status"') || text.includes('"status":"succeeded"');
    });
    const { digest } = await pusher(source.address).image("dev/api", "7");
    const asked = {
      container_name: "main",
      target_image: `${target.address}/rel/api:8`,
      target_image_tag: "8",
      push_image: true,
    };
    const body = { ...versionBody("from-env", targetId, []), source: "from_env", env_name: "dev" };
    await calls.ok("POST", `${releases}/k8s`, { ...body, services: [{ service_name: "api", images: [asked] }] });
    const version = await endOf(slipway, "from-env");
    expect(version.error).toBe("");
    expect(version.services[0]?.images[0]).toMatchObject({
      ...{
        image_name: "api",
        source_image: `${source.address}/dev/api:7`,
        source_image_tag: "7",
        status: "passed",
        digest,
      },
    });
    expect(version.services[0]?.yaml_content).toContain(`"image":"${target.address}/rel/api:8"`);
    expect(version.services[0]?.yaml_content).not.toContain("dev/api:7");
    const listed = await calls.ok<{ versionInfo: object }[]>("GET", "/api/aslan/delivery/releases?serviceName=api");
    const containers = [{ name: "main", image: `${source.address}/dev/api:7` }];
    expect(listed[0]?.versionInfo).toMatchObject({
      version: "from-env",
      productEnvInfo: { product_name: "shop", env_name: "dev", services: [[{ service_name: "api", containers }]] },
    });
    const unknown = {
      ...body,
      version_name: "unknown",
      services: [{ service_name: "api", images: [{ ...asked, container_name: "none" }] }],
    };
    const { json } = await calls.refused("POST", `${releases}/k8s`, unknown);
    expect(json.description).toContain(
      "container not found, serviceName: api, containerName: none, envName: dev, projectKey: shop",
    );
  });

  test("comes from another version's sources", async () => {
    await pusher(source.address).image("dev/based", "1");
    await create("base", [image("based")]);
    await endOf(slipway, "base");
    const asked = {
      container_name: "based",
      target_image: `${target.address}/rel/based:2`,
      target_image_tag: "2",
      push_image: true,
    };
    const body = { ...versionBody("next", targetId, []), source: "from_version", original_version_name: "base" };
    await calls.ok("POST", `${releases}/k8s`, { ...body, services: [{ service_name: "based", images: [asked] }] });
    const version = await endOf(slipway, "next");
    expect(version.services[0]?.images[0]).toMatchObject({
      source_image: `${source.address}/dev/based:1`,
      status: "passed",
    });
    expect(version.services[0]?.yaml_content).toBe("");
    const { json } = await calls.refused("POST", `${releases}/k8s`, {
      ...body,
      version_name: "x",
      original_version_name: "no",
    });
    expect(json.code).toBe(400);
  });
});

describe("a version is refused, with nothing stored, when", () => {
  test("a field is missing or does not fit the others, all of them at once", async () => {
    const wrong = { ...image("cart"), target_image: `${target.address}/elsewhere/cart:1` };
    expect(await problems("bad", [{ ...image("web"), source_image: "" }, wrong])).toEqual([
      "services[0].images[0].source_image: source_image cannot be empty",
      `services[1].images[0].target_image: must be what is pushed, ${target.address}/rel/cart:1`,
    ]);
    expect(await problems("bad", [image("cart")], { image_registry_id: "" })).toEqual([
      "image_registry_id: target registry not appointed, and images are pushed",
    ]);
    expect(await problems("bad", [image("cart")], { image_registry_id: "none" })).toEqual([
      "image_registry_id: can not find target registry",
    ]);
    expect(await problems("bad", [image("cart")], { source: "from_env" })).toEqual([
      "env_name: env name is required when source is from env",
    ]);
    expect(await problems("bad", [])).toEqual(["services: no service info appointed; name at least one"]);
    expect(await problems("bad", [image("Cart")])).toEqual([
      expect.stringContaining("services[0].images[0].source_image: has upper case letters"),
      expect.stringContaining("services[0].images[0].target_image: has upper case letters"),
    ]);
    expect((await slipway.call("GET", `${releases}/detail?projectKey=shop&versionName=bad`)).status).toBe(404);
  });

  test("a source lies in a registered registry, outside of its namespaces", async () => {
    const outside = { ...image("cart"), source_image: `${source.address}/secret/cart:1` };
    expect(await problems("bad", [outside])).toEqual([
      `services[0].images[0].source_image: can't find source registry for image: ${source.address}/secret/cart:1; registered there are ${source.address}/dev`,
    ]);
  });
});
