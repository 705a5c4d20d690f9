import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localClusterId } from "../harness/boutique.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { expectError } from "../security/expectError.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  const body = { project_name: "demo", project_key: "demo", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n";

/** Decisions 2, last paragraph. */
const reserved = {
  environment: ["production", "envcfgs", "service", "services", "helm", "kube", "image", "scale"],
  service: ["services", "production", "raw"],
  workflow: [
    ...["task", "lint", "preset", "name", "workflowtask"],
    ...["webhook", "cron", "jirahook", "meegohook", "generalhook", "workflowhook", "triggerdelivery"],
  ],
};

interface Way {
  path: string;
  body(name: string): object;
}

const cluster = { cluster_id: localClusterId, namespace: "demo-reserved" };
const whole = (service_name: string, env_key: string) => ({
  project_name: "whole",
  project_key: "whole",
  service_list: [{ service_name, source: "yaml", yaml }],
  env_list: [{ env_key, cluster_name: "local", namespace: "demo-reserved" }],
});
const ways: Record<keyof typeof reserved, Way[]> = {
  environment: [
    { path: "/openapi/environments?projectKey=demo", body: (env_key) => ({ env_key, ...cluster }) },
    { path: "/openapi/environments?projectKey=demo", body: (env_name) => ({ env_name, ...cluster }) },
    { path: "/openapi/environments/production?projectKey=demo", body: (env_key) => ({ env_key, ...cluster }) },
    { path: "/openapi/projects/project/init/yaml", body: (name) => whole("web", name) },
  ],
  service: [
    { path: "/openapi/service/yaml/raw?projectKey=demo", body: (service_name) => ({ service_name, yaml }) },
    { path: "/openapi/service/yaml/production/raw?projectKey=demo", body: (service_name) => ({ service_name, yaml }) },
    { path: "/openapi/projects/project/init/yaml", body: (name) => whole(name, "dev") },
  ],
  workflow: ["/openapi/workflows/custom", "/api/aslan/workflow/v4"].map((path) => ({
    path,
    body: (name) => ({ name, project: "demo" }),
  })),
};

describe.each(["environment", "service", "workflow"] as const)("a reserved name of an %s", (kind) => {
  test.each(ways[kind])("is refused by POST $path, which leaves nothing", async ({ path, body }) => {
    for (const name of reserved[kind]) {
      const { description } = expectError(await slipway.call("POST", path, { body: body(name) }), 400, name);
      expect(description, name).toContain("reserved");
    }
    for (const list of ["/openapi/environments", "/openapi/environments/production"])
      expect((await slipway.call("GET", `${list}?projectKey=demo`)).json).toEqual([]);
    expect((await slipway.call("GET", "/openapi/service/yaml/services?projectKey=demo")).json).toEqual({ service: [] });
    expect((await slipway.call("GET", "/openapi/service/yaml/production/services?projectKey=demo")).json).toEqual([]);
    expect((await slipway.call("GET", "/openapi/workflows?projectKey=demo")).json).toEqual({ workflows: [] });
    expect((await slipway.call("GET", "/openapi/projects/project/detail?projectKey=whole")).status).toBe(404);
  });
});
