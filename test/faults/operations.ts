import { expect } from "vitest";
import { localClusterId } from "../harness/boutique.ts";
import { makeChartEnvironment, makeChartProject, readStoredChart } from "../harness/chartProject.ts";
import { chartFiles } from "../harness/packedChart.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

/** One request, in a project or about a person of its own. */
export interface Operation {
  name: string;
  /** What it needs; `key` names what it is about, and is another one in each run. */
  prepare?(key: string): Promise<unknown>;
  request(key: string): [method: string, path: string, body?: object];
  /** What it comes to: answers to these paths. */
  leads(key: string): string[];
  /** Waits until nothing of it runs, beyond its environment. */
  ends?(key: string): Promise<unknown>;
}

const projects = "/openapi/projects/project";
const services = "/openapi/service/yaml";
const environments = "/openapi/environments";
const workflows = "/openapi/workflows/custom";
const plans = "/openapi/release_plan/v1";
const roles = "/openapi/policy/roles";
const users = "/api/v1/users";
const releases = "/openapi/delivery/releases";
const inProject = (key: string) => `projectKey=${key}`;
const project = (key: string) => ({ project_name: key, project_key: key, project_type: "yaml" });
const yaml = (text: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {text: "${text}"}\n`;
const service = { service_name: "web", yaml: yaml("first") };
const environment = (key: string) => ({
  ...{ env_key: "dev", namespace: `${key}-dev`, cluster_id: localClusterId },
  ...{ registry_id: "0123456789abcdef12345679", services: [{ service_name: "web", type: "k8s" }] },
});
const workflow = (key: string) => ({
  ...{ name: `ship-${key}`, project: key, display_name: "Ship" },
  stages: [{ name: "one", jobs: [gate("a")] }],
});
const plan = (key: string) => ({ name: key, manager: "admin", manager_identity_type: "system", jobs: [] });
const person = (key: string) => ({ account: key, name: key, password: "Passw0rd-1", email: "", phone: "" });
const role = (key: string) => ({ name: "look", namespace: key, actions: ["get_workflow"] });
const version = (key: string) => ({
  ...{ project_key: key, version_name: "1.0.0", source: "from_env", env_name: "dev" },
  services: [{ service_name: "web", images: [] }],
});

/** The operations of a fault suite, and what became of one. @param slipwayOf asked when an operation runs */
export function operationsOn(slipwayOf: () => Slipway) {
  /** Of ids that are drawn by lot, by the key of the run. */
  const ids = new Map<string, string>();
  const idOf = (key: string) => ids.get(key) ?? "";

  async function does<T = Record<string, never>>(method: string, path: string, body?: object): Promise<T> {
    const answer = await slipwayOf().call<T>(method, path, body && { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer.json;
  }

  /** What can be read of it, without what differs from run to run. */
  async function outcome({ leads, ends }: Operation, key: string): Promise<string[]> {
    await settled(key);
    await ends?.(key);
    const answers = await Promise.all(leads(key).map((path) => slipwayOf().call("GET", path)));
    return answers.map(({ status, text }) =>
      `${status} ${text}`
        .replaceAll(key, "<key>")
        // A plan counts its changes, the same one twice, too.
        .replaceAll(/"(id|index|version)":\d+/g, '"$1":<own>')
        .replaceAll(
          /\b[0-9a-f]{24}\b|\b[0-9a-f]{16}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b1[6-9]\d{8}\b|\b[0-9a-f]{64}\b/g,
          "<own>",
        ),
    );
  }

  const hasProject = (key: string) => does("POST", projects, project(key));
  const hasService = async (key: string) => {
    await hasProject(key);
    await does("POST", `${services}/raw?${inProject(key)}`, service);
  };
  const hasEnvironment = async (key: string) => {
    await hasService(key);
    await does("POST", `${environments}?${inProject(key)}`, environment(key));
    await settled(key);
  };
  const hasChart = async (key: string) => {
    await makeChartProject(slipwayOf(), key, chartFiles("1.0.0"), key);
    await readStoredChart(slipwayOf(), key, { template_name: key, service_name: "web" });
    const where = { env_name: "dev", namespace: `${key}-dev`, production: false };
    await makeChartEnvironment(slipwayOf(), key, where);
    await settled(key);
  };
  const hasWorkflow = async (key: string) => {
    await hasProject(key);
    await does("POST", workflows, workflow(key));
  };
  const hasPlan = async (key: string) => void ids.set(key, (await does<{ id: string }>("POST", plans, plan(key))).id);
  const hasUser = async (key: string) =>
    void ids.set(key, (await does<{ uid: string }>("POST", users, person(key))).uid);
  const hasRole = async (key: string) => {
    await hasProject(key);
    await does("POST", `${roles}?namespace=${key}`, role(key));
  };
  const settled = (key: string) =>
    waitFor(`the environment of ${key} to be settled`, async () => {
      const answer = await slipwayOf().call<{ stored_status: string }>("GET", `${environments}/dev?${inProject(key)}`);
      return answer.status === 404 || answer.json.stored_status === "success";
    });

  const operations: readonly Operation[] = [
    {
      name: "create a project",
      request: (key) => ["POST", projects, project(key)],
      leads: (key) => [`${projects}/detail?${inProject(key)}`],
    },
    {
      name: "delete a project",
      prepare: hasService,
      request: (key) => ["DELETE", `${projects}?${inProject(key)}&isDelete=false`],
      leads: (key) => [`${projects}/detail?${inProject(key)}`, `${services}/web?${inProject(key)}`],
    },
    {
      name: "create a service",
      prepare: hasProject,
      request: (key) => ["POST", `${services}/raw?${inProject(key)}`, service],
      leads: (key) => [`${services}/services?${inProject(key)}`, `${services}/web?${inProject(key)}`],
    },
    {
      name: "change a service",
      prepare: hasService,
      request: (key) => ["PUT", `${services}/web?${inProject(key)}`, { type: "k8s", yaml: yaml("second") }],
      leads: (key) => [`${services}/services?${inProject(key)}`, `${services}/web?${inProject(key)}`],
    },
    {
      name: "delete a service",
      prepare: hasService,
      request: (key) => ["DELETE", `${services}/web?${inProject(key)}`],
      leads: (key) => [`${services}/services?${inProject(key)}`, `${services}/web?${inProject(key)}`],
    },
    {
      name: "create an environment",
      prepare: hasService,
      request: (key) => ["POST", `${environments}?${inProject(key)}`, environment(key)],
      leads: (key) => [`${environments}/dev?${inProject(key)}`],
    },
    {
      name: "deploy a service",
      prepare: async (key) => {
        await hasEnvironment(key);
        await does("PUT", `${services}/web?${inProject(key)}`, { type: "k8s", yaml: yaml("second") });
      },
      request: (key) => [
        ...(["PUT", `${environments}/service/yaml?${inProject(key)}`] as const),
        { env_key: "dev", service_list: [{ service_name: "web" }] },
      ],
      leads: (key) => [`${environments}/dev?${inProject(key)}`],
    },
    {
      name: "deploy a chart",
      prepare: hasChart,
      request: (key) => [
        ...(["POST", `${environments}/helm/dev/services?${inProject(key)}`] as const),
        { services: [{ service_name: "web", values_yaml: "color: red" }] },
      ],
      leads: (key) => [`${environments}/dev?${inProject(key)}`],
    },
    {
      name: "delete an environment",
      prepare: hasEnvironment,
      request: (key) => ["DELETE", `${environments}/dev?${inProject(key)}&isDelete=true`],
      leads: (key) => [`${environments}?${inProject(key)}`],
    },
    {
      name: "create a workflow",
      prepare: hasProject,
      request: (key) => ["POST", workflows, workflow(key)],
      leads: (key) => [`${workflows}/ship-${key}/detail?${inProject(key)}`],
    },
    {
      name: "change a workflow",
      prepare: hasWorkflow,
      request: (key) => [
        ...(["PUT", `${workflows}/ship-${key}?${inProject(key)}`] as const),
        { ...workflow(key), display_name: "Shipped" },
      ],
      leads: (key) => [`${workflows}/ship-${key}/detail?${inProject(key)}`],
    },
    {
      name: "delete a workflow",
      prepare: hasWorkflow,
      request: (key) => ["DELETE", `${workflows}?${inProject(key)}&workflowKey=ship-${key}`],
      leads: (key) => [`${workflows}/ship-${key}/detail?${inProject(key)}`],
    },
    {
      name: "start a task",
      prepare: hasWorkflow,
      request: (key) => [
        ...(["POST", `${workflows}/task`] as const),
        { workflow_key: `ship-${key}`, project_key: key, inputs: [{ job_name: "a", parameters: {} }] },
      ],
      leads: (key) => [`${workflows}/ship-${key}/tasks?${inProject(key)}`],
      ends: (key) =>
        waitFor(`the task of ${key} to pass`, async () => {
          const path = `${workflows}/task?workflowKey=ship-${key}&taskId=1`;
          return (await slipwayOf().call<{ status: string }>("GET", path)).json.status === "passed";
        }),
    },
    {
      name: "create a plan",
      request: (key) => ["POST", plans, plan(key)],
      leads: (key) => [`/api/aslan/release_plan/v1?pageNum=1&pageSize=10&type=name&keyword=${key}`],
    },
    {
      name: "change a plan",
      prepare: hasPlan,
      request: (key) => ["PATCH", `${plans}/${idOf(key)}`, { ...plan(key), name: `${key} changed` }],
      leads: (key) => [`${plans}/${idOf(key)}`],
    },
    {
      name: "delete a plan",
      prepare: hasPlan,
      request: (key) => ["DELETE", `${plans}/${idOf(key)}`],
      leads: (key) => [`${plans}/${idOf(key)}`],
    },
    {
      name: "create a version",
      prepare: hasEnvironment,
      request: (key) => ["POST", `${releases}/k8s`, version(key)],
      leads: (key) => [`${releases}?${inProject(key)}`],
      ends: (key) =>
        waitFor(`the version of ${key} to be whole`, async () => {
          const { json } = await slipwayOf().call<{ list: { status: string }[] }>(
            "GET",
            `${releases}?${inProject(key)}`,
          );
          return json.list.every(({ status }) => status !== "creating");
        }),
    },
    {
      name: "create a user",
      request: (key) => ["POST", users, person(key)],
      leads: (key) => [`/openapi/users?account=${key}`],
    },
    {
      name: "change a user",
      prepare: hasUser,
      request: (key) => ["PUT", `${users}/${idOf(key)}`, { ...person(key), name: "Changed" }],
      leads: (key) => [`${users}/${idOf(key)}`],
    },
    {
      name: "delete a user",
      prepare: hasUser,
      request: (key) => ["DELETE", `${users}/${idOf(key)}`],
      leads: (key) => [`${users}/${idOf(key)}`],
    },
    {
      name: "create a role",
      prepare: hasProject,
      request: (key) => ["POST", `${roles}?namespace=${key}`, role(key)],
      leads: (key) => [`${roles}/look?namespace=${key}`],
    },
    {
      name: "change a role",
      prepare: hasRole,
      request: (key) => ["PUT", `${roles}/look?namespace=${key}`, { actions: ["get_workflow", "get_environment"] }],
      leads: (key) => [`${roles}/look?namespace=${key}`],
    },
    {
      name: "delete a role",
      prepare: hasRole,
      request: (key) => ["DELETE", `${roles}/look?namespace=${key}`],
      leads: (key) => [`${roles}?namespace=${key}`],
    },
  ];

  return { operations, outcome };
}
