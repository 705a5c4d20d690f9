import type * as z from "zod";
import type { EnvironmentDetail } from "../../../shared/environments/read/readEnvironmentDetail.ts";
import type { PlannedRelease } from "../../../shared/environments/store/changes.ts";
import type { EnvironmentService, EnvironmentSummary } from "../../../shared/environments/store/environments.ts";
import type { VersionSummary } from "../../../shared/environments/store/environmentVersions.ts";
import type { RolledBack } from "../../../shared/environments/store/rollbacks.ts";
import type { TestRun } from "../../../shared/environments/store/testRuns.ts";
import type { ServicePod } from "../../../shared/environments/workloads/servicePods.ts";
import type { ServiceContainer } from "../../../shared/manifest/containers.ts";
import type { EnvironmentGlobal } from "../../../shared/manifest/variables/environmentVariables.ts";
import type { ServiceVariable } from "../../../shared/manifest/variables/serviceVariable.ts";
import type { environmentDetail, environmentItem } from "./schemas.ts";
import type { podList } from "./workloads/workloadSchemas.ts";

/** An environment as lists show it (contract P 4.1): `env_name` is the identifier, `envName` the alias. */
export function toItem(summary: EnvironmentSummary): z.input<typeof environmentItem> {
  return {
    env_key: summary.envKey,
    env_name: summary.envKey,
    ...(summary.alias !== "" && { envName: summary.alias }),
    cluster_id: summary.clusterId,
    namespace: summary.namespace,
    production: summary.production,
    registry_id: summary.registryId,
    status: summary.status,
    update_by: summary.updatedBy,
    update_time: summary.updatedAt,
  };
}

/** Contract P 4.2; in the detail `env_name` is the alias. */
export function toDetail({
  environment,
  services,
  status,
  error,
}: EnvironmentDetail): z.input<typeof environmentDetail> {
  return {
    project_key: environment.projectKey,
    env_key: environment.envKey,
    env_name: environment.alias,
    update_by: environment.updatedBy,
    update_time: environment.updatedAt,
    cluster_id: environment.clusterId,
    namespace: environment.namespace,
    registry_id: environment.registryId,
    global_variables: toGlobalVariables(environment.globalVariables),
    services: services.map(({ service, status: serviceStatus, error: serviceError }) => ({
      service_name: service.name,
      type: typeOf(service),
      status: serviceStatus,
      containers: service.containers.map(toContainer),
      variable_kvs: service.variables.map(({ useGlobalVariable, ...variable }) => ({
        ...toKeyVal(variable),
        use_global_variable: useGlobalVariable,
      })),
      deploy_strategy: strategyOf(service.release),
      ...(service.release && { chart: { name: service.release.chart.name, version: service.release.chart.version } }),
      ...(service.test && { test: toTestRun(service.test) }),
      error: serviceError,
      ...(service.rolledBack && { rolled_back: toRolledBack(service.rolledBack) }),
    })),
    status,
    stored_status: environment.status,
    error,
  };
}

/** How the tests of a release went. */
export function toTestRun({ status, version, by, startedAt, endedAt, error, tests }: TestRun) {
  return {
    ...{ status, version, tested_by: by, started_at: startedAt, ended_at: endedAt, error },
    tests: tests.map((test) => ({
      ...{ kind: test.kind, name: test.name, status: test.status, message: test.message },
      ...{ started_at: test.startedAt, ended_at: test.endedAt },
    })),
  };
}

function strategyOf(release: PlannedRelease | undefined) {
  if (release?.draft === true) return "draft" as const;
  return release?.adopted === undefined ? ("deploy" as const) : ("import" as const);
}

function toRolledBack({ revision, from, at }: RolledBack) {
  return { revision, from, at };
}

/** Global variables with the services that take them (contract P 8). */
export function toGlobalVariables(
  variables: readonly EnvironmentGlobal[],
): z.input<typeof environmentDetail>["global_variables"] {
  return variables.map(({ relatedServices, ...variable }) => ({
    ...toKeyVal(variable),
    related_services: relatedServices,
  }));
}

function toKeyVal({ key, value, type, options, desc }: ServiceVariable) {
  return { key, value: value as z.core.util.JSONType, type, options, desc };
}

function toContainer({ name, type, image, imageName, imagePath }: ServiceContainer) {
  return { name, type, image, image_name: imageName, image_path: imagePath };
}

export function toVersion(version: VersionSummary) {
  const { revision, createBy, createTime, operation, images, workflowKey, taskId } = version;
  const task = workflowKey !== undefined && { workflow_key: workflowKey, task_id: taskId };
  return { revision, create_by: createBy, create_time: createTime, operation, images, ...task };
}

/** A pod as the list of a service's pods shows it (contract P 5.9). */
export function toPod({ pod, workload }: ServicePod): z.input<typeof podList>["pods"][number] {
  return {
    pod_name: pod.name,
    status: pod.status,
    pod_ready: pod.pod_ready,
    containers_ready: pod.containers_ready,
    create_time: pod.createtime,
    ip: pod.ip,
    images: pod.containers.map(({ image }) => image),
    workload_name: workload.name,
    workload_type: workload.kind,
  };
}

function typeOf({ release }: EnvironmentService): "k8s" | "helm" | "helm_chart" {
  if (release === undefined) return "k8s";
  return release.chart.repository === undefined ? "helm" : "helm_chart";
}
