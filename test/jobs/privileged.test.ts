import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { type DefinitionCalls, definitionCallsOf } from "../harness/definitionCalls.ts";
import { makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let calls: DefinitionCalls;
let tasks: ReturnType<typeof tasksOf>;
let cluster: ClusterClient;

const boundary = "/openapi/system/projects/shop/boundary";
const sentence =
  "needs privileged_jobs in the boundary of project shop, which a system administrator can set " +
  "(PUT /openapi/system/projects/shop/boundary)";

beforeAll(async () => {
  const shop = await startShop({ podDelayMilliseconds: 0 });
  calls = definitionCallsOf(shop.slipway);
  tasks = shop.tasks;
  const text = readFileSync(shop.slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  cluster = connect({ kind: "kubeconfig", text, trusted: true });
});

afterAll(async () => {
  cluster?.close();
  await calls?.slipway.close();
});

const allow = (privileged_jobs: boolean) => calls.ok("PUT", boundary, { privileged_jobs });

beforeEach(() => allow(false));

const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
const freestyle = (spec: object) => ({
  ...{ name: "work", type: "freestyle" },
  spec: { runtime, script_type: "shell", script: "true", ...spec },
});
const plugin = (spec: object) => ({
  ...{ name: "work", type: "plugin" },
  spec: { plugin: { name: "p", image: "p:1", cmds: ["true"] }, ...spec },
});
const workflow = (name: string, job: object) => ({
  ...{ name, project: "shop" },
  stages: [{ name: "only", jobs: [job] }],
});
const advanced = { cluster_name: "local", privileged_mode: true, use_host_docker_daemon: true };
const common = { project_key: "shop", installs: [], repo_info: [], script_type: "shell" };
const build = { ...common, name: "made", infrastructure: "kubernetes", build_os: "ubuntu 20.04", build_script: "true" };

interface Door {
  what: string;
  method: string;
  path: string;
  body: object;
  fields: string[];
}

const ofWorkflow = (what: string, job: object, fields: string[]): Door[] => {
  const paths = fields.map((field) => `stages[0].jobs[0].spec.${field}`);
  const list = "/openapi/workflows/custom";
  return [
    { what, method: "POST", path: list, body: workflow(what.replaceAll(/\W+/g, "-"), job), fields: paths },
    { what, method: "PUT", path: `${list}/stands`, body: workflow("stands", job), fields: paths },
    { what, method: "POST", path: "/api/aslan/workflow/v4/lint", body: workflow("linted", job), fields: paths },
  ];
};
const both = ["privileged_mode", "use_host_docker_daemon"];
const ofDefinition = (what: string, post: string, put: string, body: object): Door[] => {
  const sent = { ...body, advanced_settings: advanced };
  const fields = both.map((field) => `advanced_settings.${field}`);
  return [
    { what, method: "POST", path: post, body: { ...sent, name: "refused" }, fields },
    { what, method: "PUT", path: put, body: { ...sent, name: "made" }, fields },
  ];
};
const testing = { ...common, build_os: "ubuntu 20.04", script: "true" };
const scan = { project_key: "shop", scanner_type: "other", image_name: "ubuntu 20.04", repo_info: [], script: "true" };
const doors: Door[] = [
  ...ofWorkflow(
    "a script",
    freestyle({ advanced_setting: advanced }),
    both.map((field) => `advanced_setting.${field}`),
  ),
  ...ofWorkflow("a script, older form", freestyle({ properties: { privileged_mode: true } }), [
    "properties.privileged_mode",
  ]),
  ...ofWorkflow("a plugin", plugin({ advanced_settings: { use_host_docker_daemon: true } }), [
    "advanced_settings.use_host_docker_daemon",
  ]),
  ...ofDefinition("a build", "/openapi/build?projectKey=shop", "/openapi/build?projectKey=shop", {
    ...build,
    services: [{ service_name: "shop", service_module: "web" }],
  }),
  ...ofDefinition(
    "a test",
    "/openapi/quality/testing?projectKey=shop",
    "/openapi/quality/testing?projectKey=shop",
    testing,
  ),
  ...ofDefinition(
    "a scan",
    "/openapi/quality/codescan?projectKey=shop",
    "/openapi/quality/codescan?projectKey=shop",
    scan,
  ),
];

describe("a job that asks for its node", () => {
  beforeAll(async () => {
    await calls.ok("POST", "/openapi/workflows/custom", workflow("stands", freestyle({})));
    await calls.ok("POST", "/openapi/build?projectKey=shop", { ...build, services: [] });
    await calls.ok("POST", "/openapi/quality/testing?projectKey=shop", { ...testing, name: "made" });
    await calls.ok("POST", "/openapi/quality/codescan?projectKey=shop", { ...scan, name: "made" });
  });

  test.each(doors)("is refused where $what is saved: $method $path", async ({ method, path, body, fields }) => {
    const refused = await calls.slipway.call<{ description: string; extra?: unknown }>(method, path, { body });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(sentence)]);
    for (const field of fields) expect(refused.text).toContain(field);
    await allow(true);
    await calls.ok(method, path, body);
    await allow(false);
  });

  test("is refused where a build is made from a template that asks for it", async () => {
    const { project_key: _, ...script } = build;
    await calls.ok("POST", "/api/aslan/template/build", { ...script, name: "wide", advanced_settings: advanced });
    const target = { service_name: "shop", service_module: "api", repo_info: [], inputs: [] };
    const body = { name: "from-it", project_key: "shop", template_name: "wide", target_services: [target] };
    const path = "/openapi/build?projectKey=shop&source=template";
    const refused = await calls.refused("POST", path, body);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(sentence)]);
    expect(refused.text).toContain("template_name: build template wide: privileged_mode");
    await allow(true);
    await calls.ok("POST", path, body);
  });

  test("does not start from a workflow that was saved before, and starts once the project may", async () => {
    await makeWorkflow("shop", workflow("older", freestyle({ advanced_setting: { privileged_mode: true } })));
    const refused = await tasks.start("older", ["work"]);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining(`job work: privileged_mode ${sentence}`),
    ]);
    await allow(true);
    const task = await tasks.end("older", await tasks.started("older", ["work"]));
    expect(task.stages[0]?.jobs[0]).toMatchObject({ status: "passed", error: "" });
  });

  test("does not begin in a task that was planned when the project still might", async () => {
    await allow(true);
    const wide = freestyle({ advanced_setting: { use_host_docker_daemon: true }, script: "sleep 2" });
    const first = { ...freestyle({ script: "sleep 2" }), name: "first" };
    const stages = [first, wide].map((job, at) => ({ name: `s${at}`, jobs: [job] }));
    await makeWorkflow("shop", { name: "planned", stages });
    const id = await tasks.started("planned", ["first", "work"]);
    await allow(false);
    const task = await tasks.end("planned", id);
    expect(task.stages[1]?.jobs[0]).toMatchObject({
      status: "failed",
      error: expect.stringContaining(`job work: use_host_docker_daemon ${sentence}`),
    });
  });
});
