import { ApiError } from "../../../base/errors/apiError.ts";
import { jobsNamespaceOf } from "../../../kube/clusters/jobsNamespace.ts";
import type { ClusterRecord } from "../../../kube/clusters/store/clusters.ts";
import { allProjects, findCluster, localClusterId } from "../../../kube/clusters/store/clusters.ts";
import { privilegedJobProblem } from "../../../projects/privilegedJobProblem.ts";
import type { AdvancedSettings } from "../../definition/script/advancedSettings.ts";
import type { JobSettings } from "../../definition/specParts.ts";
import { resourcesOf } from "../../pods/rules/resources.ts";
import type { RunSettings } from "./containerRun.ts";

const noNumbers = { cpu_limit: 0, memory_limit: 0, cpu_req: 0, memory_req: 0, gpu_limit: "" };

/** Settings as a workflow of the project has them. */
export function settingsOfForm(projectKey: string, form: JobSettings | undefined): RunSettings {
  const { share_storage_info: info, storages, res_req_spec } = form ?? {};
  const spec = { ...noNumbers, ...res_req_spec };
  const share = info?.enabled === true ? info.share_storages : (form?.share_storage_details ?? []);
  return {
    timeoutMinutes: form?.timeout ?? 0,
    clusterId: form?.cluster_id || localClusterId,
    namespace: jobsNamespaceOf(projectKey),
    strategyId: form?.strategy_id ?? "",
    resources: resourcesOf(form?.res_req ?? "", {
      cpuLimit: spec.cpu_limit ?? 0,
      memoryLimit: spec.memory_limit ?? 0,
      cpuRequest: spec.cpu_req ?? 0,
      memoryRequest: spec.memory_req ?? 0,
      gpuLimit: spec.gpu_limit ?? "",
    }),
    labels: entriesOf(form?.custom_labels),
    annotations: entriesOf(form?.custom_annotations),
    storages: storages?.enabled === true ? storages.properties : [],
    shareStorages: share.map(({ name, path }) => ({ name, path: path ?? "" })),
    hostDocker: form?.use_host_docker_daemon === true,
    privileged: form?.privileged_mode === true,
    ...(form?.cache_enable === true && {
      cacheDirectory: form.cache_dir_type === "user_defined" ? (form.cache_user_dir ?? "") : "",
    }),
  };
}

/** Settings as builds, tests and scans have them. @param projectKey of the workflow that runs them */
export function settingsOfDefinition(projectKey: string, given: AdvancedSettings): RunSettings {
  const { resources, cache, storages } = given;
  return {
    timeoutMinutes: given.timeoutMinutes,
    clusterId: given.clusterId,
    namespace: jobsNamespaceOf(projectKey),
    strategyId: given.strategyId,
    resources: resourcesOf(resources.preset, {
      cpuLimit: resources.cpuLimitMillis,
      memoryLimit: resources.memoryLimitMebibytes,
      cpuRequest: resources.cpuRequestMillis,
      memoryRequest: resources.memoryRequestMebibytes,
      gpuLimit: resources.gpuLimit,
    }),
    labels: entriesOf(given.labels),
    annotations: entriesOf(given.annotations),
    storages: storages.enabled ? storages.properties : [],
    shareStorages: [],
    hostDocker: given.useHostDockerDaemon,
    privileged: given.privilegedMode,
    ...(cache.enabled && { cacheDirectory: cache.directory }),
  };
}

function entriesOf(list: readonly { key: string; value?: string | null | undefined }[] = []): Record<string, string> {
  return Object.fromEntries(list.map(({ key, value }) => [key, value ?? ""]));
}

/**
 * The cluster on which a job of the project may run as its settings say.
 * @param what the job or the definition, for sentences
 * @throws ApiError 6160 when there is no such cluster, it is not related to the project, or the project's boundary does not
 * let jobs have what this one asks for
 */
export async function requirePlaceFor(
  projectKey: string,
  what: string,
  { clusterId, privileged, hostDocker }: Pick<RunSettings, "clusterId" | "privileged" | "hostDocker">,
): Promise<ClusterRecord> {
  const cluster = await findCluster(clusterId);
  if (cluster === undefined) throw new ApiError(6160, `${what}: cluster ${clusterId} does not exist`);
  const { name, projectNames } = cluster;
  if (!projectNames.includes(allProjects) && !projectNames.includes(projectKey))
    throw new ApiError(6160, `${what}: cluster ${name} is not related to project ${projectKey}`);
  const problem = privileged || hostDocker ? await privilegedJobProblem(projectKey) : undefined;
  if (problem !== undefined)
    throw new ApiError(6160, `${what}: ${privileged ? "privileged_mode" : "use_host_docker_daemon"} ${problem}`);
  return cluster;
}
