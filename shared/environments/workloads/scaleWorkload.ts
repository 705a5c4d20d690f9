import { nowSeconds } from "../../base/store/ids.ts";
import { findCluster } from "../../kube/clusters/store/clusters.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import type { RenderContext } from "../../manifest/renderService.ts";
import {
  replicasVariable,
  type SetReplicas,
  type WorkloadName,
  withReplicas,
  workloadKey,
} from "../../manifest/replicas.ts";
import { findRevision } from "../../projects/services/store/findRevision.ts";
import { failingWith } from "../failures.ts";
import { serviceWithWorkload } from "../plan/standingService.ts";
import { previewWorkload } from "../preview/previewWorkload.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { EnvironmentRecord, EnvironmentService } from "../store/environments.ts";
import { changeWorkload, type WorkloadChange } from "./changeWorkload.ts";

export interface ScaleRequest {
  /** Absent: the service that holds the workload. */
  service: string | undefined;
  workload: WorkloadName;
  replicas: number;
}

/**
 * Sets how many pods a workload has, at once (contract P 5.7), so that a later update of its service keeps the number:
 * by the variable that alone says it in the service's YAML, otherwise by remembering it in the environment.
 * @throws ApiError 404 unknown environment; 6081 with the reason, and then nothing was changed
 */
export async function scaleWorkload(name: EnvironmentName, asked: ScaleRequest): Promise<void> {
  await failingWith(6081, () => changeWorkload(scaling(name, asked)));
}

/** What scaling would change. @throws ApiError as `scaleWorkload` */
export function previewScale(name: EnvironmentName, asked: ScaleRequest): Promise<ObjectPreview[]> {
  return failingWith(6081, () => previewWorkload(scaling(name, asked)));
}

function scaling(name: EnvironmentName, asked: ScaleRequest): WorkloadChange {
  return {
    read: async () => serviceWithWorkload(await requireEnvironment(name), asked.workload, asked.service),
    workload: asked.workload,
    edit: async ({ environment, service, object }) => ({
      object: withReplicas(object, asked.replicas),
      set: { ...(await remembered(environment, service, asked)), updatedAt: nowSeconds() },
      scales: true,
    }),
  };
}

async function remembered(
  environment: EnvironmentRecord,
  service: EnvironmentService,
  { workload, replicas }: ScaleRequest,
): Promise<Pick<EnvironmentService, "variables"> | { replicas: SetReplicas }> {
  const { projectKey, production } = environment;
  const { name, revision, variables } = service;
  const record = await findRevision(projectKey, production ? "production" : "test", name, revision);
  const context = await renderContextOf(environment, name);
  const variable = record && replicasVariable({ yaml: record.yaml, variables, context }, workload);
  if (variable === undefined) return { replicas: { ...service.replicas, [workloadKey(workload)]: replicas } };
  const value = String(replicas);
  return { variables: variables.map((one) => (one.key === variable ? { ...one, value } : one)) };
}

/** What `$Namespace$` and the like stand for in a service of an environment. */
async function renderContextOf(environment: EnvironmentRecord, serviceName: string): Promise<RenderContext> {
  const { projectKey, envKey, namespace, clusterId } = environment;
  const cluster = await findCluster(clusterId);
  return { projectKey, serviceName, namespace, envName: envKey, clusterName: cluster?.name ?? "" };
}
