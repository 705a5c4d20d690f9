import { type Caller, environmentBody, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml, roleYaml } from "../harness/manifests.ts";
import type { Answer } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

/** One accepted request and the state that it starts from. */
export interface Scenario {
  name: string;
  /** How long pods take; a creation that must stay under way never sees them ready. */
  preparedPodDelayMilliseconds?: number;
  prepare(slipway: Caller): Promise<void>;
  request(slipway: Caller): Promise<Answer>;
  /** The request is refused, after it has left something to be taken back. */
  refused?: true;
  /** What an undisturbed run must have come to; the others are compared with it. */
  check?(slipway: Caller): Promise<void>;
}

/** Something of every wave, and something that belongs to no namespace. */
function webYaml(image: string): string {
  const other = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "web" } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { greeting: "hello" } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { ports: [{ port: 80 }], selector: { app: "web" } },
    },
  ];
  return [deploymentYaml("web", image), roleYaml("shop-web"), ...other.map((object) => JSON.stringify(object))].join(
    "\n---\n",
  );
}

async function succeed(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(text);
}

async function prepareProject(slipway: Caller): Promise<void> {
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await succeed(slipway.call("POST", "/openapi/projects/project", { body: project }));
  const yamls = {
    web: webYaml("web:1"),
    cache: deploymentYaml("cache", "cache:1"),
    late: deploymentYaml("late", "late:1"),
  };
  for (const [service_name, yaml] of Object.entries(yamls))
    await succeed(slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body: { service_name, yaml } }));
}

function create(slipway: Caller, configName = "settings"): Promise<Answer> {
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: configName }, data: { colour: "blue" } };
  const body = {
    ...environmentBody("dev", "shop-dev"),
    services: ["web", "cache"].map((service_name) => ({ service_name, type: "k8s" })),
    env_configs: [{ yaml_data: JSON.stringify(settings), common_env_cfg_type: "ConfigMap" }],
  };
  return slipway.call("POST", "/openapi/environments?projectKey=shop", { body });
}

async function prepareEnvironment(slipway: Caller): Promise<void> {
  await prepareProject(slipway);
  await succeed(create(slipway));
  await untilStatus(slipway, "shop", "dev", "running");
}

/** The workload of a service stands in the cluster; whether it is ready does not matter. */
async function untilApplied(slipway: Caller, service: string): Promise<void> {
  const path = `/openapi/environments/dev/services/${service}?projectKey=shop`;
  await waitFor(`${service} to be applied`, async () => {
    const { json } = await slipway.call<{ scales: unknown[] }>("GET", path);
    return json.scales.length > 0;
  });
}

const turnPath = (turn: "sleep" | "wake") => `/openapi/environments/dev/${turn}?projectKey=shop`;

const changePath = "/openapi/environments/service/yaml?projectKey=shop";
const changeBody = (service_name: string) => ({ env_key: "dev", service_list: [{ service_name }] });

const shellJob = (name: string, script: string, outputs: readonly string[] = []) => ({
  ...{ name, type: "freestyle" },
  spec: {
    ...{ script, script_type: "shell", runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" } },
    advanced_setting: { outputs: outputs.map((output) => ({ name: output })) },
  },
});
/** Nobody is needed for it. */
const openGate = (name: string) => ({
  ...{ name, type: "approval" },
  spec: { type: "native", native_approval: { needed_approvers: 0, approve_users: [] } },
});

/** One workflow that starts another one and waits for it, with stages of both kinds and scripts that run. */
async function prepareWorkflows(slipway: Caller): Promise<void> {
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await succeed(slipway.call("POST", "/openapi/projects/project", { body: project }));
  const trigger = {
    ...{ name: "others", type: "workflow-trigger" },
    spec: { is_enable_check: true, trigger_type: "fixed", fixed_workflow_list: [{ workflow_name: "other" }] },
  };
  const reading = shellJob("read", 'test "{{.job.write.output.WORD}}" = hello');
  const workflows = {
    other: [{ name: "only", jobs: [shellJob("script", "true")] }],
    flow: [
      { name: "gates", parallel: true, jobs: [openGate("left"), openGate("right")] },
      { name: "scripts", jobs: [shellJob("write", "WORD=hello", ["WORD"]), reading] },
      { name: "others", jobs: [trigger] },
    ],
  };
  for (const [name, stages] of Object.entries(workflows)) {
    const body = { name, project: "shop", stages };
    await succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
  }
}

/** Every kind of work that the state machines and their companions do. */
export const scenarios: readonly Scenario[] = [
  {
    name: "task of a workflow",
    prepare: prepareWorkflows,
    request: (slipway) => {
      const inputs = ["write", "read", "others"].map((job_name) => ({ job_name, parameters: {} }));
      const body = { workflow_key: "flow", project_key: "shop", inputs };
      return slipway.call("POST", "/openapi/workflows/custom/task", { body });
    },
    check: async (slipway) => {
      for (const workflow of ["flow", "other"]) {
        const path = `/openapi/workflows/custom/task?workflowKey=${workflow}&taskId=1`;
        const { text } = await slipway.call("GET", path);
        if (JSON.parse(text).status !== "passed") throw new Error(text);
      }
    },
  },
  { name: "creation", prepare: prepareProject, request: create },
  {
    name: "creation that is refused",
    refused: true,
    prepare: prepareProject,
    request: (slipway) => create(slipway, "Not_A_Name"),
  },
  {
    name: "update",
    prepare: async (slipway) => {
      await prepareEnvironment(slipway);
      const body = { type: "k8s", yaml: webYaml("web:2").replace(/---\n[^\n]*"ConfigMap"[^\n]*\n/, "") };
      await succeed(slipway.call("PUT", "/openapi/service/yaml/web?projectKey=shop", { body }));
    },
    request: (slipway) => slipway.call("PUT", changePath, { body: changeBody("web") }),
  },
  {
    name: "addition",
    prepare: prepareEnvironment,
    request: (slipway) => slipway.call("POST", changePath, { body: changeBody("late") }),
  },
  {
    name: "sleep",
    prepare: prepareEnvironment,
    request: (slipway) => slipway.call("POST", turnPath("sleep")),
  },
  {
    name: "wake",
    prepare: async (slipway) => {
      await prepareEnvironment(slipway);
      await succeed(slipway.call("POST", turnPath("sleep")));
      await untilStatus(slipway, "shop", "dev", "sleeping");
    },
    request: (slipway) => slipway.call("POST", turnPath("wake")),
  },
  {
    name: "schedule of sleep",
    prepare: prepareEnvironment,
    request: (slipway) => {
      const body = { sleep_cron: "0 20 * * *", awake_cron: "0 8 * * *", time_zone: "Europe/Berlin", enabled: true };
      return slipway.call("PUT", "/openapi/environments/dev/sleep/schedule?projectKey=shop", { body });
    },
  },
  {
    name: "removal of a service",
    prepare: prepareEnvironment,
    request: (slipway) => slipway.call("DELETE", changePath, { body: { env_key: "dev", service_names: ["web"] } }),
  },
  {
    name: "deletion with its objects",
    prepare: prepareEnvironment,
    request: (slipway) => slipway.call("DELETE", "/openapi/environments/dev?projectKey=shop&isDelete=true"),
  },
  {
    name: "deletion of the record alone",
    prepare: prepareEnvironment,
    request: (slipway) => slipway.call("DELETE", "/openapi/environments/dev?projectKey=shop&isDelete=false"),
  },
  {
    name: "deletion during a creation",
    preparedPodDelayMilliseconds: 3_600_000,
    prepare: async (slipway) => {
      await prepareProject(slipway);
      await succeed(create(slipway));
      for (const service of ["web", "cache"]) await untilApplied(slipway, service);
    },
    request: (slipway) => slipway.call("DELETE", "/openapi/environments/dev?projectKey=shop&isDelete=true"),
  },
];
