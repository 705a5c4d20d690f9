import { afterAll, beforeAll, expect, test } from "vitest";
import { detailOf, localClusterId, untilStatus } from "../harness/boutique.ts";
import { runChart, startForChartVersions } from "../harness/chartVersions.ts";
import type { VersionSetting } from "../harness/deliveryVersions.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { adminToken } from "../harness/slipway.ts";
import { pusher } from "../harness/testRegistry.ts";
import { slipwayProgram } from "./slipwayProgram.ts";

let setting: VersionSetting;
let run: ReturnType<typeof slipwayProgram>;
let digest: string;

const about = ["-p", "shop"];
const version = (...words: string[]) => run("version", ...words, ...about);

beforeAll(async () => {
  setting = await startForChartVersions();
  const { calls, slipway, source } = setting;
  run = slipwayProgram({ SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken });
  ({ digest } = await pusher(source.address).image("dev/api", "1"));
  const yaml = deploymentYaml("api", `${source.address}/dev/api:1`);
  await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "api", yaml });
  for (const env_key of ["dev", "next"])
    await calls.ok("POST", "/openapi/environments?projectKey=shop", {
      ...{ env_key, cluster_id: localClusterId, namespace: `shop-${env_key}`, services: [{ service_name: "api" }] },
      registry_id: "0123456789abcdef12345679",
    });
  for (const env of ["dev", "next"]) await untilStatus(slipway, "shop", env, "running");
}, 90_000);

afterAll(() => setting.close());

test("a project without versions says so", async () => {
  expect(await version()).toMatchObject({ code: 0, out: "Project shop has no delivery version yet.\n" });
});

test("a version is made of what an environment runs, and its images are copied", async () => {
  const { target, targetId } = setting;
  const made = await version("create", "1.0", "--from", "dev", "--registry", targetId, "--label", "q4");
  expect(made, made.err).toMatchObject({ code: 0 });
  expect(made.out).toContain("shop/1.0  success");
  expect(made.out).toMatch(/api\/main +passed/);
  expect(made.out).toContain(`${target.address}/rel/api:1.0@${digest}`);
  expect(await pusher(target.address).read("rel/api", "1.0")).toBe(
    await pusher(setting.source.address).read("dev/api", "1"),
  );
  const listed = await run("-o", "json", "version", "list", ...about);
  expect(JSON.parse(listed.out)).toMatchObject([{ version_name: "1.0", status: "success", labels: ["q4"] }]);
  expect((await version("manifest", "1.0")).out).toContain(`${target.address}/rel/api:1.0@${digest}`);
});

test("without a registry the images stay where they are; two versions can be compared", async () => {
  const made = await version("create", "1.1", "--from", "dev");
  expect(made, made.err).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${setting.source.address}/dev/api:1@`),
  });
  const { out } = await version("diff", "1.0", "1.1");
  expect(out).toContain("changed api");
  expect(out).toContain(`- ${setting.target.address}/rel/api:1.0 ${digest}`);
  expect(out).toContain(`+ ${setting.source.address}/dev/api:1 ${digest}`);
  expect((await version("diff", "1.1", "1.1")).out).toBe("1.1 and 1.1 are the same.\n");
});

test("it is deployed by digest, after its difference was shown", async () => {
  const dry = await version("deploy", "1.0", "-e", "next", "--dry-run");
  expect(dry, dry.err).toMatchObject({ code: 0, out: "1 objects of shop/next would change.\n" });
  expect(dry.err).toMatch(/\+.*rel\/api:1\.0@sha256/);
  const asked = await version("deploy", "1.0", "-e", "next");
  expect(asked).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  const done = await version("deploy", "1.0", "-e", "next", "--yes");
  expect(done, done.err).toMatchObject({ code: 0, out: "1.0 is deployed into shop/next.\n" });
  const { services } = await detailOf(setting.slipway, "shop", "next");
  expect(services[0]?.containers[0]?.image).toBe(`${setting.target.address}/rel/api:1.0@${digest}`);
});

test("what cannot be is said in words", async () => {
  const registry = await version("create", "1.2", "--from", "dev", "--registry", "none");
  expect(registry).toMatchObject({ code: 2, err: expect.stringContaining(setting.targetId) });
  expect(await version("create", "1.0", "--from", "dev")).toMatchObject({ code: 3 });
  expect(await version("show", "9.9")).toMatchObject({ code: 3, err: expect.stringContaining("delivery version 9.9") });
});

test("a version whose images cannot be copied fails the command with the reason", async () => {
  setting.target.trouble = (_, response) => {
    response.writeHead(403).end();
    return true;
  };
  const failed = await version("create", "1.3", "--from", "dev", "--registry", setting.targetId);
  setting.target.trouble = undefined;
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("version 1.3 failed") });
});

test("a version of what an environment runs by charts has them, and copies of their images", async () => {
  await runChart(setting);
  const create = (...words: string[]) => run("version", "create", "1.2.0", "--from", "dev", "-p", "charts", ...words);
  expect(await create()).toMatchObject({ code: 2, err: expect.stringContaining("--chart-repository") });
  expect(await create("--chart-repository", "nowhere")).toMatchObject({
    code: 3,
    err: expect.stringContaining("nowhere"),
  });
  const made = await create("--chart-repository", "hub", "--registry", setting.targetId);
  expect(made, made.err).toMatchObject({ code: 0, out: expect.stringContaining("charts/1.2.0  success") });
  expect(made.out).toContain(`${setting.target.address}/rel/web:1.2.0@sha256:`);
  const read = pusher(setting.target.address);
  expect(await read.read("charts/web", "1.2.0")).toContain("helm.config");
});
