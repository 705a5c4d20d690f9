import { describe, expect, test } from "vitest";
import { workflowDefinition } from "../../../../shared/workflows/definition/definition.ts";
import { keyProblem, lintDefinition } from "../../../../shared/workflows/definition/lint.ts";

type Tree = Record<string, unknown>;

function problemsOf(definition: Tree): string[] {
  const whole = workflowDefinition.parse({ name: "key", project: "demo", ...definition });
  return lintDefinition(whole).map(({ path }) => path);
}

const job = (name: string, type: string, spec: Tree = {}) => ({ name, type, spec });
const ofJob = (type: string, spec: Tree) => problemsOf({ stages: [{ name: "s", jobs: [job("j", type, spec)] }] });
const place = "stages[0].jobs[0].spec";

describe("lint of a definition (contract W 2.4 step 8)", () => {
  test.each(["a", "A-9", "a".repeat(64)])("accepts the key %s", (key) => expect(keyProblem(key)).toBeUndefined());
  test.each(["", "a_b", "a b", "ä", "a.b", "a".repeat(65)])("refuses the key '%s'", (key) => {
    expect(keyProblem(key)).toBeDefined();
  });

  test.each(["a", "构建", "a构-9", "a".repeat(32)])("accepts a job named %s", (name) => {
    expect(problemsOf({ stages: [{ name: "s", jobs: [job(name, "x")] }] })).toEqual([]);
  });
  test.each(["", "A", "9a", "-a", "a_b", "a".repeat(33)])("refuses a job named '%s'", (name) => {
    expect(problemsOf({ stages: [{ name: "s", jobs: [job(name, "x")] }] })).toEqual(["stages[0].jobs[0].name"]);
  });

  test("wants names once: of parameters, storages, stages, and of jobs in all stages", () => {
    const twice = [{ name: "n" }, { name: "n" }];
    const stages = [
      { name: "s", jobs: [job("j", "x")] },
      { name: "s", jobs: [job("j", "x")] },
    ];
    expect(problemsOf({ params: twice, share_storages: twice, stages })).toEqual([
      "params[1].name",
      "share_storages[1].name",
      "stages[1].name",
      "stages[1].jobs[0].name",
    ]);
  });

  test("wants no more references than can be held", () => {
    const repos = Array.from({ length: 501 }, (_, at) => ({ codehost_id: at + 1 }));
    expect(ofJob("vendor", { repos })).toEqual(["stages"]);
    expect(ofJob("vendor", { repos: repos.slice(1) })).toEqual([]);
  });

  test("wants no more jobs than a task can plan", () => {
    const jobs = Array.from({ length: 251 }, (_, at) => job(`a${at}`, "x"));
    const more = jobs.map(({ name }) => job(`b${name}`, "x"));
    const inTwo = (second: object[]) =>
      problemsOf({
        stages: [
          { name: "one", jobs },
          { name: "two", jobs: second },
        ],
      });
    expect(inTwo(more)).toEqual(["stages"]);
    expect(inTwo(more.slice(2))).toEqual([]);
  });

  test("takes about four times as long for four times as many names", () => {
    const processorTimeOf = (amount: number): number => {
      const many = Array.from({ length: amount }, (_, at) => ({ name: `n${at}` }));
      const { user, system } = process.cpuUsage();
      expect(problemsOf({ params: many, stages: many, share_storages: many })).toEqual([]);
      const after = process.cpuUsage();
      return after.user + after.system - user - system;
    };
    // The least of some, because garbage of others is collected in between.
    const least = (amount: number): number => Math.min(...[1, 2, 3].map(() => processorTimeOf(amount)));
    expect(least(40_000) / least(10_000)).toBeLessThan(9);
  });

  test("wants a display name that can be shown", () => {
    expect(problemsOf({ display_name: "x".repeat(129) })).toEqual(["display_name"]);
    expect(problemsOf({ display_name: "a\nb" })).toEqual(["display_name"]);
  });

  test("wants a source to have run before: in an earlier stage, or earlier in a stage that is not parallel", () => {
    const build = job("build", "zadig-build");
    const deploy = job("deploy", "zadig-deploy", { source: "fromjob", job_name: "build" });
    const wrong = "spec.job_name";
    expect(problemsOf({ stages: [{ name: "s", jobs: [build, deploy] }] })).toEqual([]);
    expect(problemsOf({ stages: [{ name: "s", parallel: true, jobs: [build, deploy] }] })).toEqual([
      `stages[0].jobs[1].${wrong}`,
    ]);
    const stages = [
      { name: "one", parallel: true, jobs: [build] },
      { name: "two", parallel: true, jobs: [deploy] },
    ];
    expect(problemsOf({ stages })).toEqual([]);
    expect(problemsOf({ stages: stages.toReversed() })).toEqual([`stages[0].jobs[0].${wrong}`]);
  });

  test("leaves jobs of unknown types alone, whatever they hold", () => {
    expect(ofJob("vendor", { source: "fromjob", job_name: "none", deploy_contents: 5, targets: "x" })).toEqual([]);
    expect(ofJob("constructor", { source: [] })).toEqual([]);
  });

  const wrong: [string, Tree, string][] = [
    ["zadig-build", { source: "else" }, ".source"],
    ["zadig-build", { service_and_builds: [{ service_name: "s", repos: "x" }] }, ".service_and_builds[0].repos"],
    ["zadig-deploy", { deploy_type: "vm" }, ".deploy_type"],
    ["zadig-deploy", { services: [{}] }, ".services[0].service_name"],
    [
      "zadig-deploy",
      { services: [{ service_name: "s", modules: [{ image: "i" }] }] },
      ".services[0].modules[0].service_module",
    ],
    ["zadig-deploy", { service_and_images: [{ service_name: "s" }] }, ".service_and_images[0].service_module"],
    [
      "zadig-build",
      { service_and_builds: [{ service_name: "s", repos: [{ is_primary: 1 }] }] },
      ".service_and_builds[0].repos[0].is_primary",
    ],
    ["zadig-test", { test_type: "x" }, ".test_type"],
    ["zadig-test", { test_modules: [{}] }, ".test_modules[0].name"],
    ["zadig-scanning", { scannings: [5] }, ".scannings[0]"],
    ["zadig-restart", { services: [1] }, ".services[0]"],
    ["zadig-distribute-image", { distribute_method: "cloud_sync" }, ".distribute_method"],
    ["zadig-distribute-image", { targets: [{ service_name: "s", update_tag: 1 }] }, ".targets[0].update_tag"],
    ["freestyle", { script_type: "python" }, ".script_type"],
    ["freestyle", { envs: [{ key: "" }] }, ".envs[0].key"],
    ["freestyle", { advanced_settings: { outputs: [{ name: "a-b" }] } }, ".advanced_settings.outputs[0].name"],
    ["freestyle", { runtime: { installs: [{}] } }, ".runtime.installs[0].name"],
    ["freestyle", { properties: { cache_enable: "yes" } }, ".properties.cache_enable"],
    ["plugin", { plugin: { args: "x" } }, ".plugin.args"],
    ["plugin", { plugin: { inputs: [{}] } }, ".plugin.inputs[0].name"],
    ["custom-deploy", { targets: [{ target: "web" }] }, ".targets[0].target"],
    ["k8s-resource-patch", { patch_items: [{ resource_name: "a" }] }, ".patch_items[0].resource_kind"],
    [
      "k8s-resource-patch",
      { patch_items: [{ resource_name: "a", resource_kind: "b", patch_strategy: "x" }] },
      ".patch_items[0].patch_strategy",
    ],
    ["offline-service", { env_name: "dev", services: "web" }, ".services"],
    ["offline-service", { services: ["web"] }, ".env_name"],
    ["offline-service", { env_name: "dev", services: [] }, ".services"],
    ["approval", { timeout: -1 }, ".timeout"],
    ["approval", { timeout: 0.5 }, ".timeout"],
    ["approval", { type: "mail" }, ".type"],
    ["notification", { webhook_type: "mail", content: {} }, ".content"],
    ["workflow-trigger", { trigger_type: "fixed" }, ".fixed_workflow_list"],
    ["workflow-trigger", { fixed_workflow_list: [{}] }, ".fixed_workflow_list[0].workflow_name"],
  ];
  test.each(wrong)("names what is wrong with a %s job: %j", (type, spec, path) => {
    expect(ofJob(type, spec)).toEqual([place + path]);
  });

  const right: [string, Tree][] = [
    ["zadig-build", { service_and_builds: null, docker_registry_id: "", service_and_builds_options: [] }],
    [
      "zadig-deploy",
      { deploy_contents: ["image", "vars", "config"], services: [{ service_name: "s", modules: null }] },
    ],
    // Chosen or named when it is started.
    ...[
      "zadig-build",
      "zadig-deploy",
      "zadig-test",
      "zadig-scanning",
      "zadig-restart",
      "zadig-distribute-image",
      "freestyle",
      "custom-deploy",
    ].map((type): [string, Tree] => [type, { source: "runtime" }]),
    ["zadig-deploy", { env_source: "runtime", services: [{ service_name: "s", modules: [{ service_module: "m" }] }] }],
    ["zadig-build", { service_and_builds: [{ service_name: "s", key_vals: [{ key: "K", source: "runtime" }] }] }],
    ["plugin", { plugin: { inputs: [{ name: "version" }] } }],
    ["custom-deploy", { targets: [{ target: "deployment/web/main", image: "nginx" }], timeout: 5 }],
    ["zadig-distribute-image", { architecture: "amd64, linux/arm/v7", targets: null, timeout: 5 }],
    ["approval", { type: "native", native_approval: { approve_users: [{ user_id: "u" }], needed_approvers: 1 } }],
    ["notification", { webhook_type: "mail" }],
    ["freestyle", { properties: { build_os: "focal" }, steps: [{}], outputs: [] }],
  ];
  test.each(right)("accepts a %s job: %j", (type, spec) => {
    expect(ofJob(type, spec)).toEqual([]);
  });
});

describe("rollouts (contract W 5)", () => {
  const deploy = (name = "deploy") => job(name, "k8s-blue-green-deploy", { env: "dev", services: [] });
  const release = (from_job: string, name = "release") => job(name, "k8s-blue-green-release", { from_job });
  const inStages = (...stages: Tree[][]) =>
    problemsOf({ stages: stages.map((jobs, at) => ({ name: `s${at}`, jobs })) });

  test("a deployment with one release behind it is right, in one stage or in two", () => {
    expect(inStages([deploy(), release("deploy")])).toEqual([]);
    expect(inStages([deploy()], [release("deploy")])).toEqual([]);
  });
  test("a deployment needs exactly one release", () => {
    expect(inStages([deploy()])).toEqual(["stages[0].jobs[0]"]);
    expect(inStages([deploy(), release("deploy"), release("deploy", "again")])).toEqual(["stages[0].jobs[0]"]);
  });
  test("a release comes after the deployment that it names", () => {
    expect(inStages([release("deploy"), deploy()])).toEqual(["stages[0].jobs[0].spec.from_job"]);
    expect(inStages([release("other")])).toEqual(["stages[0].jobs[0].spec.from_job"]);
    expect(inStages([release("")])).toEqual(["stages[0].jobs[0].spec.from_job"]);
    const parallel = [{ name: "s", parallel: true, jobs: [deploy(), release("deploy")] }];
    expect(problemsOf({ stages: parallel })).toEqual(["stages[0].jobs[1].spec.from_job"]);
  });
});
