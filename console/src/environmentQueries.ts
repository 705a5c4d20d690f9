import { type components, taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { servicesInterval, toldInterval } from "./liveChanges.ts";
import { inProject, type Place } from "./queries.ts";
import { slipway } from "./session.ts";

export type Variable = components["schemas"]["EnvironmentDetail"]["global_variables"][number];
export type Schedule = components["schemas"]["SleepSchedule"];
export type ConfigItem = components["schemas"]["EnvironmentConfigItem"];
export type ConfigType = ConfigItem["common_env_cfg_type"];

const previewed = (isPreview: boolean) => (isPreview ? { dryRun: "true" as const } : {});

export const environmentsQuery = (project: string) =>
  queryOptions({
    queryKey: ["environments", project],
    queryFn: async () => {
      const params = { query: { projectKey: project } };
      const [test, production] = await Promise.all([
        taken(slipway().GET("/openapi/environments", { params })),
        taken(slipway().GET("/openapi/environments/production", { params })),
      ]);
      return [...test, ...production];
    },
    refetchInterval: toldInterval,
  });

export const environmentQuery = (place: Place) =>
  queryOptions({
    queryKey: ["environment", place],
    queryFn: () => {
      const params = inProject(place);
      return place.production
        ? taken(slipway().GET("/openapi/environments/production/{envName}", { params }))
        : taken(slipway().GET("/openapi/environments/{envName}", { params }));
    },
    refetchInterval: servicesInterval(place),
  });

/** The live workloads of a service. */
export const instanceQuery = (place: Place, service: string) =>
  queryOptions({
    queryKey: ["instance", place, service],
    queryFn: () => {
      const { path, query } = inProject(place);
      const at = place.production
        ? "/openapi/environments/production/{envName}/services/{serviceName}"
        : "/openapi/environments/{envName}/services/{serviceName}";
      return taken(slipway().GET(at, { params: { path: { ...path, serviceName: service }, query } }));
    },
    refetchInterval: servicesInterval(place),
  });

export const podsQuery = (place: Place, service: string) =>
  queryOptions({
    queryKey: ["pods", place, service],
    queryFn: async () => {
      const { path, query } = inProject(place);
      const params = { path: { ...path, serviceName: service }, query };
      const { pods } = place.production
        ? await taken(
            slipway().GET("/openapi/environments/production/{envName}/service/{serviceName}/pods", { params }),
          )
        : await taken(slipway().GET("/openapi/environments/{envName}/service/{serviceName}/pods", { params }));
      return pods;
    },
    refetchInterval: servicesInterval(place),
  });

const scaledTypes = ["Deployment", "StatefulSet", "CloneSet"] as const;
type ScaledType = (typeof scaledTypes)[number];

/** Whether a workload has a number of pods that can be set. */
export const isScaled = (type: string): type is ScaledType => scaledTypes.some((one) => one === type);

/** Sets how many pods a workload has, or says what that would change. */
export function scale(
  { project, env }: Place,
  service: string,
  { name, type, replicas }: { name: string; type: ScaledType; replicas: number },
  isPreview: boolean,
) {
  const body = {
    ...{ project_key: project, env_key: env, service_name: service },
    ...{ workload_name: name, workload_type: type, target_replicas: replicas },
  };
  return taken(slipway().POST("/openapi/environments/scale", { params: { query: previewed(isPreview) }, body }));
}

const imageKinds = {
  Deployment: "/openapi/environments/image/deployment/{envName}",
  StatefulSet: "/openapi/environments/image/statefulset/{envName}",
  CronJob: "/openapi/environments/image/cronjob/{envName}",
  Job: "/openapi/environments/image/job/{envName}",
} as const;
type ImageKind = keyof typeof imageKinds;

/** Whether the images of a workload can be set one by one. */
export const hasImages = (type: string): type is ImageKind => type in imageKinds;

/** Changes the image of a container, or says what that would change. */
export function changeImage(
  { project, env }: Place,
  service: string,
  { type, name, container, image }: { type: ImageKind; name: string; container: string; image: string },
  isPreview: boolean,
) {
  const params = { path: { envName: env }, query: previewed(isPreview) };
  const body = { product_name: project, service_name: service, name, container_name: container, image };
  return taken(slipway().POST(imageKinds[type], { params, body }));
}

/** Puts an environment to sleep or wakes it, or says what that would change. */
export function sleepOrWake(place: Place, isSleep: boolean, isPreview: boolean) {
  const { path, query } = inProject(place);
  const params = { path, query: { ...query, ...previewed(isPreview) } };
  const base = place.production
    ? ("/openapi/environments/production/{envName}" as const)
    : ("/openapi/environments/{envName}" as const);
  return taken(slipway().POST(`${base}/${isSleep ? "sleep" : "wake"}` as const, { params }));
}

const schedulePath = ({ production }: Place) =>
  production
    ? ("/openapi/environments/production/{envName}/sleep/schedule" as const)
    : ("/openapi/environments/{envName}/sleep/schedule" as const);

export const scheduleQuery = (place: Place) =>
  queryOptions({
    queryKey: ["sleep schedule", place],
    queryFn: () => taken(slipway().GET(schedulePath(place), { params: inProject(place) })),
  });

export function saveSchedule(place: Place, body: Schedule) {
  return taken(slipway().PUT(schedulePath(place), { params: inProject(place), body }));
}

const variablePath = ({ production }: Place) =>
  production
    ? ("/openapi/environments/production/{envName}/variable" as const)
    : ("/openapi/environments/{envName}/variable" as const);

export const variablesQuery = (place: Place) =>
  queryOptions({
    queryKey: ["variables", place],
    queryFn: () => taken(slipway().GET(variablePath(place), { params: inProject(place) })),
    // Fresh values would take the place of what is being typed.
    refetchOnWindowFocus: false,
  });

/** Replaces the global variables, or says what that would change. */
export function saveVariables(
  place: Place,
  global_variables: Pick<Variable, "key" | "value" | "related_services">[],
  isPreview: boolean,
) {
  const { path, query } = inProject(place);
  const params = { path, query: { ...query, ...previewed(isPreview) } };
  return taken(slipway().PUT(variablePath(place), { params, body: { global_variables } }));
}

const configsPath = ({ production }: Place) =>
  production
    ? ("/openapi/environments/production/{envName}/envcfgs" as const)
    : ("/openapi/environments/{envName}/envcfgs" as const);
const configPath = ({ production }: Place) =>
  production
    ? ("/openapi/environments/production/{envName}/envcfg/{envCfgName}" as const)
    : ("/openapi/environments/{envName}/envcfg/{envCfgName}" as const);

export const configsQuery = (place: Place) =>
  queryOptions({
    queryKey: ["configs", place],
    queryFn: () => taken(slipway().GET(configsPath(place), { params: inProject(place) })),
  });

/** The YAML of a configuration object as it is in the cluster. */
export const configQuery = (place: Place, type: ConfigType, name: string) =>
  queryOptions({
    queryKey: ["config", place, type, name],
    queryFn: async () => {
      const { path, query } = inProject(place);
      const params = { path: { ...path, envCfgName: name }, query: { ...query, type } };
      const found = await taken(slipway().GET(configPath(place), { params }));
      const detail = found.configMap_detail ?? found.secret_detail ?? found.ingress_detail ?? found.pvc_detail;
      return detail?.yaml_data ?? "";
    },
    refetchOnWindowFocus: false,
  });

interface SavedConfig {
  type: ConfigType;
  name: string;
  yaml: string;
  isNew: boolean;
}

/** Makes or changes a configuration object, or says what that would change. What refers to a changed one is restarted. */
export function saveConfig(place: Place, { type, name, yaml, isNew }: SavedConfig, isPreview: boolean) {
  const { path, query: ofProject } = inProject(place);
  const query = { ...ofProject, ...previewed(isPreview) };
  const body = { name, common_env_cfg_type: type, yaml_data: yaml };
  if (isNew) return taken(slipway().POST(configsPath(place), { params: { path, query }, body }));
  const changed = place.production
    ? ("/openapi/environments/production/envcfgs" as const)
    : ("/openapi/environments/envcfgs" as const);
  const more = { env_key: place.env, restart_associated_svc: true };
  return taken(slipway().PUT(changed, { params: { query }, body: { ...body, ...more } }));
}

export function deleteConfig(place: Place, type: ConfigType, name: string, isPreview: boolean) {
  const { path, query } = inProject(place);
  const params = { path: { ...path, envCfgName: name }, query: { ...query, type, ...previewed(isPreview) } };
  return taken(slipway().DELETE(configPath(place), { params }));
}
