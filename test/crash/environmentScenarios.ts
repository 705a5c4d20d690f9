import { type Caller, environmentBody, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml, roleYaml } from "../harness/manifests.ts";
import type { Answer } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { type Scenario, succeed } from "./scenario.ts";

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

export async function prepareEnvironment(slipway: Caller): Promise<void> {
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

/** Everything that is done to an environment. */
export const environmentScenarios: readonly Scenario[] = [
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
