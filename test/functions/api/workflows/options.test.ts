import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localClusterId } from "../../../harness/boutique.ts";
import { type DefinitionCalls, repo, startForDefinitions } from "../../../harness/definitionCalls.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import { newPerson } from "../../../harness/people.ts";
import { storeCallsOf } from "../../../harness/storeCallsOf.ts";
import { sample } from "../builds/sample.ts";
import type { Tree } from "./workflowCalls.ts";

const yaml = deploymentYaml("web", "nginx:1");
const registry_id = "0123456789abcdef12345679";
let calls: DefinitionCalls;

beforeAll(async () => {
  calls = await startForDefinitions();
  await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "web", yaml });
  await calls.ok("POST", "/openapi/service/yaml/production/raw?projectKey=shop", { service_name: "web", yaml });
  for (const [prefix, env_key] of [
    ["environments", "dev"],
    ["environments", "qa"],
    ["environments/production", "live"],
  ]) {
    const services = env_key === "qa" ? [] : [{ service_name: "web" }];
    const place = { env_key, namespace: `shop-${env_key}`, cluster_id: localClusterId, registry_id };
    await calls.ok("POST", `/openapi/${prefix}?projectKey=shop`, { ...place, services });
  }
  const parameters = [
    { key: "LEVEL", type: "choice", value: "low", choice_option: ["low", "high"] },
    { key: "TOKEN", type: "string", value: "a-secret-value", is_credential: true },
  ];
  const job = { project_key: "shop", script: "make", repo_info: [repo], parameters };
  for (const name of ["unit", "smoke"])
    await calls.ok("POST", "/openapi/quality/testing", { ...job, name, build_os: "node 24" });
  await calls.ok("POST", "/openapi/quality/codescan", {
    ...{ ...job, name: "lint", scanner_type: "other", image_name: "node 24" },
    advanced_settings: { cluster_name: "local" },
  });
});

afterAll(() => calls.slipway.close());

const detailOf = (name: string) => `/openapi/workflows/custom/${name}/detail?projectKey=shop`;
const presetOf = (name: string) => `/api/aslan/workflow/v4/preset/${name}?projectName=shop`;

async function create(name: string, jobs: readonly Tree[]): Promise<void> {
  await calls.ok("POST", "/openapi/workflows/custom", { name, project: "shop", stages: [{ name: "s", jobs }] });
}

/** Specs of the jobs, as somebody is shown them. */
async function specsOf(path: string, token?: string): Promise<Tree[]> {
  const answer = await calls.slipway.call<{ stages: { jobs: { spec: Tree }[] }[] }>(
    "GET",
    path,
    token === undefined ? {} : { token },
  );
  expect(answer.status, answer.text).toBe(200);
  return answer.json.stages.flatMap(({ jobs }) => jobs).map(({ spec }) => spec);
}

describe("what a start form shows (contract W 2.2)", () => {
  test("of tests and scans: what the job has, with the repositories and variables that a start may change", async () => {
    const module = { service_name: "web", service_module: "main" };
    const pinned = { ...repo, codehost_name: undefined, codehost_id: 1, branch: "release" };
    await create("checks", [
      {
        name: "tests",
        type: "zadig-test",
        spec: {
          test_modules: [
            {
              name: "unit",
              key_vals: [
                { key: "LEVEL", value: "high" },
                { key: "OWN", value: "1" },
              ],
            },
          ],
          test_module_options: [
            { name: "smoke", repos: [pinned] },
            { name: "gone" },
            { name: "x", project_name: "other" },
          ],
          service_and_tests: [{ ...module, name: "unit" }],
        },
      },
      {
        name: "scans",
        type: "zadig-scanning",
        spec: { scanning_type: "service_scanning", service_scanning_options: [{ ...module, name: "lint" }] },
      },
    ]);
    const filled = (level: string) => ({
      repos: [{ repo_namespace: "team", repo_name: "web", branch: "main", codehost_id: expect.any(Number) }],
      key_vals: [
        { key: "LEVEL", type: "choice", value: level, choice_option: ["low", "high"] },
        { key: "TOKEN", value: "", is_credential: true },
      ],
    });
    for (const path of [detailOf("checks"), presetOf("checks")]) {
      const [tests, scans] = await specsOf(path);
      const { key_vals, ...unit } = filled("high");
      const chosen = { name: "unit", ...unit, key_vals: [...key_vals, { key: "OWN", value: "1" }] };
      expect(tests?.test_modules).toMatchObject([chosen]);
      expect(tests?.test_module_options).toMatchObject([
        { ...filled("low"), name: "smoke", repos: [{ repo_name: "web", branch: "release" }] },
        { name: "gone" },
        { name: "x", project_name: "other" },
        chosen,
      ]);
      expect(tests).toHaveProperty("test_module_options.1", { name: "gone" });
      expect(tests?.service_test_options).toMatchObject([{ ...module, name: "unit", ...filled("low") }]);
      expect(scans).toMatchObject({
        ...{ scannings: [], scanning_options: [], service_and_scannings: [] },
        service_scanning_options: [{ ...module, name: "lint", ...filled("low") }],
      });
    }
    const { stages } = await calls.ok<{ stages: unknown }>("GET", "/api/aslan/workflow/v4/name/checks?projectKey=shop");
    expect(JSON.stringify(stages)).not.toMatch(/TOKEN|scannings/);
  });

  test("of deploy jobs: environments of their kind, and what stands in the one that is configured", async () => {
    const standing = { service_module: "main", image: "nginx:1", image_name: "nginx" };
    await create("deploys", [
      { name: "test", type: "zadig-deploy", spec: { env: "dev", services: [{ service_name: "web" }] } },
      { name: "live", type: "zadig-deploy", spec: { production: true, env_options: [{ env: "live", hint: 1 }] } },
      { name: "again", type: "zadig-restart", spec: { env: "qa", services: ["web"] } },
    ]);
    const named = (env: string, production = false) => ({ env, env_alias: "", production, registry_id });
    const dev = { ...named("dev"), services: [{ service_name: "web", modules: [standing] }] };
    const qa = { ...named("qa"), services: [] };
    const [test, live, again] = await specsOf(presetOf("deploys"));
    expect(test).toMatchObject({ env_options: [dev, qa], service_and_images: [{ service_name: "web", ...standing }] });
    expect(live).toMatchObject({ env_options: [{ env: "live", hint: 1 }], service_and_images: [] });
    expect(again?.env_options).toEqual(test?.env_options);
  });

  test("environments are those that the reader may see", async () => {
    await create("reading", [
      { name: "test", type: "zadig-deploy", spec: { env: "dev", services: [{ service_name: "web" }] } },
      { name: "live", type: "zadig-deploy", spec: { production: true } },
    ]);
    const verbs = ["get_workflow", "get_production_environment"];
    const { token } = await newPerson("reader", [{ namespace: "shop", roles: { reader: verbs } }]);
    const [test, live] = await specsOf(detailOf("reading"), token);
    expect(test).toMatchObject({ env_options: [], service_and_images: [] });
    expect(live?.env_options).toMatchObject([{ env: "live", production: true, registry_id }]);
  });

  test("of build jobs: every build of a module, with the repositories and variables that a start may change", async () => {
    const module = { service_name: "web", service_module: "main" };
    const { services: _, ...script } = sample;
    await calls.ok("PUT", "/openapi/system/projects/shop/boundary", { privileged_jobs: true });
    await calls.ok("POST", "/openapi/build", { ...script, name: "a-build", services: [module] });
    await calls.ok("POST", "/api/aslan/template/build", { ...script, name: "image" });
    const inputs = [{ key: "LEVEL", value: "high" }];
    const target = { ...module, repo_info: [{ ...repo, branch: "next" }], inputs };
    const made = { name: "b-made", project_key: "shop", template_name: "image", target_services: [target] };
    await calls.ok("POST", "/openapi/build?source=template", made);
    const chosen = { ...module, build_name: "b-made", key_vals: [{ key: "OWN", value: "1" }] };
    await create("builds", [{ name: "build", type: "zadig-build", spec: { service_and_builds: [chosen] } }]);
    for (const path of [detailOf("builds"), presetOf("builds")]) {
      const [spec] = await specsOf(path);
      const token = { key: "TOKEN", value: "", is_credential: true };
      expect(spec?.service_and_builds_options).toMatchObject([
        {
          ...{ ...module, build_name: "b-made", repos: [{ repo_name: "web", branch: "next" }] },
          key_vals: [{ key: "LEVEL", value: "high" }, token, { key: "OWN", value: "1" }],
        },
        {
          ...{ ...module, build_name: "a-build", image_name: "main", repos: [{ repo_name: "web", branch: "main" }] },
          key_vals: [{ key: "LEVEL", value: "low" }, token],
        },
      ]);
    }
  });

  test("it is looked up in one step, each list by one call", async () => {
    const { calls: made } = await storeCallsOf("GET", presetOf("checks"));
    expect(made.slice(-3).map(({ kind }) => kind)).toEqual(["get", "getMany", "getMany"]);
  });
});
