import { describe, expect, test } from "vitest";
import { optionNeeds, withOptions, withRunPolicies } from "../../../../shared/workflows/definition/jobOptions.ts";
import { keyValInputs } from "../../../../shared/workflows/definition/script/keyVal.ts";

const build = (serviceName: string, buildName: string) => ({
  ...{ serviceName, serviceModule: "main", buildName },
  repositories: [],
  keyVals: keyValInputs.parse([{ key: "OF", value: buildName }]),
});
const builds = [build("api", "api-image"), build("web", "web-image"), build("web", "web-slim")];
const of = (type: string, spec: object | null) => ({ stages: [{ name: "s", jobs: [{ name: "j", type, spec }] }] });
const specOf = (type: string, spec: object | null) => {
  const nothing = { projectKey: "shop", tests: [], scans: [], environments: [] };
  const { stages } = withOptions(of(type, spec), { ...nothing, builds }) as ReturnType<typeof of>;
  return stages[0]?.jobs[0]?.spec;
};
const item = (service_name: string, also: object = {}) => ({ service_name, service_module: "main", ...also });

describe("what a job may choose from (contract W 2.2)", () => {
  test("a build job: what is stored, then every build of a module, as it was chosen or as it is", () => {
    const own = { key: "K", value: "1" };
    const chosen = item("web", { key_vals: [own] });
    const stored = item("old", { build_name: "gone" });
    const spec = specOf("zadig-build", { service_and_builds: [chosen], service_and_builds_options: [stored] });
    const of = (value: string) => ({ key: "OF", value });
    expect(spec).toMatchObject({
      service_and_builds: [chosen],
      default_service_and_builds: [],
      service_and_builds_options: [
        stored,
        item("api", { build_name: "api-image", repos: [], key_vals: [of("api-image")], image_name: "main" }),
        item("web", { build_name: "web-image", key_vals: [of("web-image"), own] }),
        item("web", { build_name: "web-slim", key_vals: [of("web-slim")] }),
      ],
    });
    const offered = item("web", { build_name: "web-slim", key_vals: [{ key: "OF", value: "mine" }] });
    expect(specOf("zadig-build", { service_and_builds_options: [offered] })).toMatchObject({
      service_and_builds_options: [offered, { build_name: "api-image" }, { build_name: "web-image" }],
    });
  });

  test("a deploy job: the modules of its services, unless it lists images itself", () => {
    const services = [
      { service_name: "web", modules: [{ service_module: "main", image: "nginx" }] },
      { service_name: "x" },
    ];
    expect(specOf("zadig-deploy", { services })).toMatchObject({
      service_and_images: [{ service_name: "web", service_module: "main", image: "nginx", image_name: "" }],
    });
    const own = [item("own", { image: "own" })];
    expect(specOf("zadig-deploy", { services, service_and_images: own })).toMatchObject({ service_and_images: own });
  });

  test("tests and scans have their lists, and other jobs are what they are", () => {
    expect(specOf("zadig-test", {})).toMatchObject({ test_modules: [], service_test_options: [] });
    expect(specOf("zadig-scanning", { scannings: null })).toMatchObject({
      scannings: [],
      service_scanning_options: [],
    });
    expect(specOf("vendor", { service_and_builds: null })).toEqual({ service_and_builds: null });
    expect(specOf("zadig-build", null)).toBeNull();
  });

  test("what is looked up is what jobs ask for: of this project, once, and by names that records can have", () => {
    const named = (...names: unknown[]) => names.map((name) => ({ name }));
    const jobs = [
      { type: "zadig-build", spec: null },
      {
        type: "zadig-test",
        spec: {
          test_modules: [...named("unit", "unit", "", 7, "x".repeat(65)), { name: "e2e", project_name: "other" }],
          service_test_options: [{ name: "smoke", project_name: "shop" }],
        },
      },
      { type: "zadig-scanning", spec: { scanning_options: named("sonar"), test_modules: named("not") } },
      { type: "zadig-deploy", spec: { env: "dev" } },
      { type: "zadig-restart", spec: { env: "{{.workflow.params.env}}" } },
    ];
    expect(optionNeeds({ stages: [{ jobs }, { jobs: "none" }] }, "shop")).toEqual({
      ...{ builds: true, tests: ["unit", "smoke"], scans: ["sonar"] },
      ...{ environments: true, servicesOf: ["dev"] },
    });
    const nothing = { builds: false, tests: [], scans: [], environments: false, servicesOf: [] };
    expect([optionNeeds(of("vendor", {}), "shop"), optionNeeds({}, "shop")]).toEqual([nothing, nothing]);
  });

  test("what a deployment of images or a patch may choose is what the job has", () => {
    const target = (name: string) => ({ target: `Deployment/${name}/main` });
    expect(
      specOf("custom-deploy", { targets: [target("a"), target("b")], target_options: [target("b")] }),
    ).toMatchObject({ target_options: [target("b"), target("a")] });
    const patch = (resource_name: string) => ({ resource_kind: "ConfigMap", resource_name });
    expect(specOf("k8s-resource-patch", { patch_items: [patch("a")] })).toMatchObject({
      patch_item_options: [patch("a")],
    });
    expect(specOf("freestyle", { freestyle_type: "service_freestyle" })).toMatchObject({ default_services: [] });
  });
});

test("a start begins with what does not run by itself skipped", () => {
  const jobs = ["", "force_run", "default_not_run"].map((run_policy) => ({ run_policy, skipped: false }));
  const { stages } = withRunPolicies({ stages: [{ jobs }] }) as { stages: { jobs: { skipped: boolean }[] }[] };
  expect(stages[0]?.jobs.map(({ skipped }) => skipped)).toEqual([false, false, true]);
});
