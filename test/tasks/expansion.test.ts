import { afterAll, beforeAll, expect, test } from "vitest";
import { type DefinitionCalls, startForDefinitions } from "../harness/definitionCalls.ts";
import { makeWorkflow, type ShownJob, tasksOf } from "../harness/tasks.ts";

const registry = "0123456789abcdef12345679";
const modules = [
  { service_name: "shop", service_module: "web" },
  { service_name: "shop", service_module: "api" },
  { service_name: "mail", service_module: "main" },
];
const perService = ["shop.web", "shop.api", "mail.main"];
const ofModules = modules.map((module) => ({ ...module }));
const tested = (names: readonly string[]) => names.map((testing_name) => ({ testing_name, test_type: "" }));
const each = (item: object) => modules.map((module) => ({ ...module, ...item }));

interface Row {
  type: string;
  spec: object;
  /** What follows the job's name in the keys, one for each job task; an empty one for the name alone. */
  keys: string[];
  /** `job_info` of each beside `job_name`. */
  info?: object[];
}

/** Contract W 8.9 and the parts of 4.3, for every kind that runs. */
const table: Record<string, Row> = {
  build: {
    type: "zadig-build",
    spec: { source: "runtime", docker_registry_id: registry, service_and_builds: each({ build_name: "make" }) },
    ...{ keys: perService, info: ofModules },
  },
  script: { type: "freestyle", spec: { script: "true", runtime: { build_os: "node 24" } }, keys: [""] },
  "script-each": {
    type: "freestyle",
    spec: {
      ...{ freestyle_type: "service_freestyle", source: "runtime", services: modules, script: "true" },
      runtime: { build_os: "node 24" },
    },
    ...{ keys: perService, info: ofModules },
  },
  "script-from": {
    type: "freestyle",
    spec: {
      ...{ freestyle_type: "service_freestyle", source: "fromjob", job_name: "script-each", script: "true" },
      runtime: { build_os: "node 24" },
    },
    ...{ keys: perService, info: ofModules },
  },
  "script-some": {
    type: "freestyle",
    spec: {
      ...{ freestyle_type: "service_freestyle", source: "fromjob", job_name: "script-each", script: "true" },
      ...{ services: modules.slice(0, 1), runtime: { build_os: "node 24" } },
    },
    ...{ keys: perService.slice(0, 1), info: ofModules.slice(0, 1) },
  },
  // What a job works on is what it chose of the job that it takes its modules from.
  "check-some": {
    type: "zadig-test",
    spec: {
      ...{ test_type: "service_test", source: "fromjob", job_name: "script-some" },
      service_and_tests: each({ name: "unit" }),
    },
    keys: perService.slice(0, 1),
  },
  check: {
    type: "zadig-test",
    spec: { source: "runtime", test_modules: [{ name: "unit" }, { name: "load" }] },
    ...{ keys: ["unit", "load"], info: tested(["unit", "load"]) },
  },
  "check-each": {
    type: "zadig-test",
    spec: { test_type: "service_test", target_services: modules, service_and_tests: each({ name: "unit" }) },
    keys: perService,
    info: modules.map((module) => ({ ...module, testing_name: "unit", test_type: "service_test" })),
  },
  look: {
    type: "zadig-scanning",
    spec: { source: "runtime", scannings: [{ name: "lint" }, { name: "audit" }] },
    ...{ keys: ["lint", "audit"], info: [{ scanning_name: "lint" }, { scanning_name: "audit" }] },
  },
  "look-each": {
    type: "zadig-scanning",
    spec: {
      scanning_type: "service_scanning",
      target_services: modules,
      service_and_scannings: each({ name: "lint" }),
    },
    ...{ keys: perService, info: modules.map((module) => ({ ...module, scanning_name: "lint" })) },
  },
  deploy: {
    type: "zadig-deploy",
    spec: {
      ...{ env: "dev", source: "runtime", deploy_contents: ["image"] },
      services: [
        {
          service_name: "shop",
          modules: [
            { service_module: "web", image: "a:1" },
            { service_module: "api", image: "b:1" },
          ],
        },
        { service_name: "mail", modules: [{ service_module: "main", image: "c:1" }] },
      ],
    },
    keys: ["shop", "mail"],
  },
  "deploy-from": {
    type: "zadig-deploy",
    spec: { env: "dev", source: "fromjob", job_name: "build", deploy_contents: ["image"] },
    keys: ["shop", "mail"],
  },
  restart: {
    type: "zadig-restart",
    spec: { env: "dev", source: "runtime", services: ["shop", "mail"] },
    keys: ["shop", "mail"],
  },
  copy: {
    type: "zadig-distribute-image",
    spec: { source: "fromjob", job_name: "build", target_registry_id: registry },
    keys: [""],
  },
  change: {
    type: "custom-deploy",
    spec: {
      namespace: "shop",
      targets: [
        { target: "Deployment/web/main", image: "a:1" },
        { target: "StatefulSet/db/side", image: "b:1" },
      ],
    },
    keys: ["Deployment.web.main", "StatefulSet.db.side"],
  },
  patch: {
    type: "k8s-resource-patch",
    spec: {
      namespace: "shop",
      patch_items: ["a", "b"].map((resource_name) => ({
        ...{ resource_name, resource_kind: "ConfigMap", resource_version: "v1", patch_content: "data: {}" },
      })),
    },
    keys: [""],
  },
  plug: { type: "plugin", spec: { plugin: { name: "p", image: "busybox:1", cmds: ["true"], args: [] } }, keys: [""] },
  offline: { type: "offline-service", spec: { env_name: "dev", services: ["shop", "mail"] }, keys: [""] },
  // Nothing is chosen: the preselected services are built, and deployed from there.
  "build-preset": {
    type: "zadig-build",
    spec: {
      ...{ source: "runtime", docker_registry_id: registry, service_and_builds: [] },
      default_service_and_builds: each({ build_name: "make" }),
    },
    ...{ keys: perService, info: ofModules },
  },
  "deploy-preset": {
    type: "zadig-deploy",
    spec: { env: "dev", source: "fromjob", job_name: "build-preset", deploy_contents: ["image"] },
    keys: ["shop", "mail"],
  },
  trigger: {
    type: "workflow-trigger",
    spec: {
      ...{ trigger_type: "common", service_trigger_workflow: [] },
      fixed_workflow_list: [{ workflow_name: "everything" }],
    },
    keys: [""],
  },
  ask: {
    type: "approval",
    spec: { type: "native", native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] } },
    keys: [""],
  },
  tell: { type: "notification", spec: { webhook_type: "webhook", title: "t", content: "c" }, keys: [""] },
};

let calls: DefinitionCalls;
let jobs: (ShownJob & { key: string; job_info: object })[];

beforeAll(async () => {
  calls = await startForDefinitions();
  const script = { project_key: "shop", build_os: "node 24", script: "true" };
  await calls.ok("POST", "/openapi/build", {
    ...{ name: "make", project_key: "shop", infrastructure: "kubernetes", build_os: "node 24", build_script: "true" },
    ...{ installs: [], script_type: "shell", repo_info: [], services: modules },
  });
  for (const name of ["unit", "load"]) await calls.ok("POST", "/openapi/quality/testing", { ...script, name });
  for (const name of ["lint", "audit"])
    await calls.ok("POST", "/openapi/quality/codescan", {
      ...{ project_key: "shop", scanner_type: "other", image_name: "node 24", script: "true", repo_info: [], name },
    });
  const all = Object.entries(table).map(([name, { type, spec }]) => ({ name, type, spec }));
  const stages = [
    { name: "before", jobs: [{ name: "left-out", type: "mystery", spec: {} }] },
    { name: "all", jobs: all },
  ];
  // Nothing of it runs: a task shows its jobs before they begin.
  await makeWorkflow("shop", { name: "everything", concurrency_limit: 0, stages });
  const tasks = tasksOf(calls.slipway, "shop");
  const task = await tasks.read("everything", await tasks.started("everything", Object.keys(table)));
  jobs = task.stages.flatMap((stage) => stage.jobs as typeof jobs);
});

afterAll(() => calls.slipway.close());

test.each(Object.entries(table))(
  "job tasks of %s (contract W 8.9, 4.3)",
  (name, { type, keys, info = keys.map(() => ({})) }) => {
    const own = jobs.filter(({ origin_name }) => origin_name === name);
    const at = Object.keys(table).indexOf(name);
    expect(own.map((job) => job.key)).toEqual(keys.map((key) => (key === "" ? name : `${name}.${key}`)));
    expect(own).toMatchObject(
      keys.map((key, sub) => ({
        name: `job-1-${at}-${sub}-${name}`,
        display_name: [name, ...key.split(".").filter(Boolean)].join("-"),
        ...{ type, status: "", error: "", cost_seconds: 0, retry_count: 0, reverted: false },
        job_info: { job_name: name, ...info[sub] },
      })),
    );
  },
);

test("a job that starts workflows and names none is refused at the start of its task", async () => {
  const trigger = {
    name: "others",
    type: "workflow-trigger",
    spec: { trigger_type: "fixed", fixed_workflow_list: [] },
  };
  await makeWorkflow("shop", { name: "starts-nothing", stages: [{ name: "one", jobs: [trigger] }] });
  const { status, json } = await tasksOf(calls.slipway, "shop").start("starts-nothing", ["others"]);
  expect([status, json]).toMatchObject([
    400,
    { code: 6160, description: expect.stringMatching(/others.*fixed_workflow_list.*name a workflow/) },
  ]);
});
