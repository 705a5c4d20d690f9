import { findCluster } from "../clusters/store/clusters.ts";
import type { RenderContext } from "../manifest/renderService.ts";
import type { EnvironmentRecord } from "./store/environments.ts";

/** What `$Namespace$` and the like stand for in a service of an environment. */
export async function renderContextOf(environment: EnvironmentRecord, serviceName: string): Promise<RenderContext> {
  const { projectKey, envKey, namespace, clusterId } = environment;
  const cluster = await findCluster(clusterId);
  return { projectKey, serviceName, namespace, envName: envKey, clusterName: cluster?.name ?? "" };
}
