import { readFileSync } from "node:fs";
import { connect } from "../../shared/kube/client/connect.ts";
import { type Caller, environmentBody, untilStatus } from "../harness/boutique.ts";
import { defineIstio } from "../harness/istioDefinitions.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import type { Answer } from "../harness/slipway.ts";
import { type Preparing, type Scenario, succeed } from "./scenario.ts";
import { flow, taskCalls } from "./taskCalls.ts";

const environments = "/openapi/environments";

function serviceYaml(name: string): string {
  const spec = { ports: [{ name: "http", port: 80 }], selector: { app: name } };
  const service = { apiVersion: "v1", kind: "Service", metadata: { name }, spec };
  return `${deploymentYaml(name, `${name}:1`)}\n---\n${JSON.stringify(service)}\n`;
}

function create(slipway: Caller, env: string, services: string[], more: object = {}): Promise<Answer> {
  const wanted = services.map((service_name) => ({ service_name }));
  const body = { ...environmentBody(env, `mesh-${env}`), services: wanted, ...more };
  return slipway.call("POST", `${environments}?projectKey=mesh`, { body });
}

const createSub = (slipway: Caller): Promise<Answer> =>
  create(slipway, "sub", ["back"], { sub_env: { enable: true, base_env: "base" } });

const enable = (slipway: Caller): Promise<Answer> =>
  slipway.call("POST", `${environments}/base/share/enable?projectKey=mesh`);

async function preparePlain(slipway: Preparing): Promise<void> {
  const client = connect({ kind: "kubeconfig", text: readFileSync(slipway.kubeconfigPath, "utf8"), trusted: true });
  await defineIstio(client).finally(() => client.close());
  const project = { project_name: "mesh", project_key: "mesh", is_public: false, project_type: "yaml" };
  await succeed(slipway.call("POST", "/openapi/projects/project", { body: project }));
  for (const service_name of ["front", "back"]) {
    const body = { service_name, yaml: serviceYaml(service_name) };
    await succeed(slipway.call("POST", "/openapi/service/yaml/raw?projectKey=mesh", { body }));
  }
  await succeed(create(slipway, "base", ["front", "back"]));
  await untilStatus(slipway, "mesh", "base", "running");
}

async function prepareBase(slipway: Preparing): Promise<void> {
  await preparePlain(slipway);
  await succeed(enable(slipway));
  await untilStatus(slipway, "mesh", "base", "running");
}

async function prepareSub(slipway: Preparing): Promise<void> {
  await prepareBase(slipway);
  await succeed(createSub(slipway));
  await untilStatus(slipway, "mesh", "sub", "running");
}

const share = (env: string, weight: number) => ({ env, weight });

/** A job draws where calls go, in a base and its sub-environment. */
const drawn: Scenario = {
  name: "shares of a base and its sub-environment",
  prepare: async (slipway) => {
    await prepareSub(slipway);
    const spec = {
      ...{ production: false, base_env: "base", source: "fixed", grayscale_strategy: "weight" },
      weight_configs: [share("base", 70), share("sub", 30)],
    };
    const stages = [{ name: "all", jobs: [{ name: "lead", type: "update-env-istio-config", spec }] }];
    const body = { name: flow, project: "mesh", stages };
    await succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
  },
  request: (slipway) => taskCalls(slipway, "mesh").start("lead"),
  check: (slipway) => taskCalls(slipway, "mesh").mustHavePassed(flow, 1),
};

/** What is done to bases and sub-environments: the routes are a part of what stands in the end. */
export const meshScenarios: readonly Scenario[] = [
  drawn,
  { name: "enabling of a base", prepare: preparePlain, request: enable },
  { name: "creation of a sub-environment", prepare: prepareBase, request: createSub },
  {
    name: "service of a base for its sub-environments",
    prepare: prepareSub,
    request: (slipway) => {
      const body = { env_key: "sub", service_list: [{ service_name: "front" }] };
      return slipway.call("POST", `${environments}/service/yaml?projectKey=mesh`, { body });
    },
  },
  {
    name: "deletion of a sub-environment",
    prepare: prepareSub,
    request: (slipway) => slipway.call("DELETE", `${environments}/sub?projectKey=mesh&isDelete=true`),
  },
  {
    name: "disabling of a base with its sub-environment",
    prepare: prepareSub,
    request: (slipway) => slipway.call("DELETE", `${environments}/base/share/enable?projectKey=mesh`),
  },
];
