import { expect } from "vitest";
import { localClusterId, untilStatus } from "./boutique.ts";
import { servedYaml } from "./manifests.ts";
import type { Slipway } from "./slipway.ts";
import { gate, tasksOf } from "./tasks.ts";

/**
 * A project `shop` whose environment `dev` runs these services, and for each a workflow of its name: a canary, a stage that
 * waits to be executed and releases it, and a stage more.
 */
export async function canaryShop(slipway: Slipway, names: readonly string[]) {
  async function send(method: string, path: string, body: unknown): Promise<void> {
    const answer = await slipway.call(method, path, { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  }
  await send("POST", "/openapi/projects/project", { project_name: "Shop", project_key: "shop", project_type: "yaml" });
  for (const service_name of names)
    await send("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name, yaml: servedYaml(service_name) });
  await send("POST", "/openapi/environments?projectKey=shop", {
    ...{ env_key: "dev", namespace: "shop-dev", cluster_id: localClusterId },
    services: names.map((service_name) => ({ service_name })),
  });
  await untilStatus(slipway, "shop", "dev", "running");
  for (const name of names) {
    const targets = [{ k8s_service_name: name, container_name: "main", image: `${name}:2`, canary_percentage: 50 }];
    const spec = { cluster_id: localClusterId, namespace: "shop-dev", targets };
    const deploy = { name: "deploy", type: "k8s-canary-deploy", spec };
    const release = { name: "release", type: "k8s-canary-release", spec: { from_job: "deploy" } };
    await send("POST", "/openapi/workflows/custom", {
      ...{ name, project: "shop" },
      stages: [
        { name: "beside", jobs: [deploy] },
        { name: "shift", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: [release] },
        { name: "after", jobs: [gate("done")] },
      ],
    });
  }
  const tasks = tasksOf(slipway, "shop");
  return {
    ...tasks,
    /** A run that stands before the release. */
    async begun(name: string): Promise<number> {
      const id = await tasks.started(name, ["deploy", "release", "done"]);
      await tasks.until(name, id, "before the release", ({ status }) => status === "pause");
      return id;
    },
  };
}
