import { findEnvironmentService } from "../../../shared/environments/store/environments.ts";
import { localClusterId } from "../../harness/boutique.ts";
import { recordClusterRequests } from "../../harness/clusterRequests.ts";
import type { Slipway } from "../../harness/slipway.ts";
import { concluded } from "./concluded.ts";
import type { Deployer } from "./deployer.ts";
import type { TestCluster } from "./testCluster.ts";

const project = "bench";
const environments = "/openapi/environments";

/** What a platform engineer waits for: from the call of add or update services to the last object in the cluster. */
export async function apiDeployer(slipway: Slipway, cluster: TestCluster): Promise<Deployer> {
  const call = async (method: string, path: string, body: unknown): Promise<void> => {
    const answer = await slipway.call(method, `${path}?projectKey=${project}`, { body });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  };
  await call("POST", "/openapi/projects/project", {
    project_key: project,
    project_name: project,
    project_type: "yaml",
    is_public: false,
  });
  let begun = 0;
  return {
    name: "API",
    begin: async (namespace) => {
      begun += 1;
      const envKey = `env-${begun}`;
      const service = `bulk-${begun}`;
      await call("POST", environments, { env_key: envKey, cluster_id: localClusterId, namespace, services: [] });
      await concluded(project, envKey);
      return {
        deploy: async (kind, manifest) => {
          if (kind === "first")
            await call("POST", "/openapi/service/yaml/raw", { service_name: service, yaml: manifest });
          else if (kind !== "unchanged")
            await call("PUT", `/openapi/service/yaml/${service}`, { type: "k8s", yaml: manifest });
          const body = { env_key: envKey, service_list: [{ service_name: service }] };
          const startedAt = performance.now();
          const { requests } = await recordClusterRequests(cluster.authority, async () => {
            await call(kind === "first" ? "POST" : "PUT", `${environments}/service/yaml`, body);
            await concluded(project, envKey);
          });
          const stored = await findEnvironmentService(project, envKey, service);
          if (stored === undefined || stored.error !== "") throw new Error(`${kind}: ${stored?.error ?? "no service"}`);
          return { milliseconds: requests.lastEndedAt - startedAt, requests: requests.verbs };
        },
      };
    },
  };
}
