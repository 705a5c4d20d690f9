import { ApiError } from "../../../base/errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { withServiceModule } from "../../records/rules/variables.ts";
import { chosenOf, modulesIn, modulesOfJob, originOf } from "../modulesOfJob.ts";
import type { ExpandedJob, JobPlanner, PlanScope } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { deployVariables } from "../variables/deployVariables.ts";
import { type DeployService, kind as zadigDeploy } from "./kind.ts";
import { selectServices } from "./select.ts";
import { type DeploySpec, groupByService, listedServices } from "./services.ts";
import { servicesOfVersion, versionNameOf } from "./versionServices.ts";

/** What the runner needs to deploy one service. */
export interface DeployRun {
  env: string;
  production: boolean;
  deployType: string;
  contents: string[];
  service: string;
  modules: { module: string; image: string }[];
  variables: { key: string; value?: unknown; useGlobalVariable?: boolean }[];
  /** Of a chart. */
  values?: {
    yaml: string;
    overrides: { key: string; value: unknown }[];
    /** Over those in force, rather than instead of them. */
    merges: boolean;
    /** The file of a repository that lies below them, read when they are deployed. */
    source?: unknown;
  };
  updatesConfig: boolean;
  skipsCheck: boolean;
  /** Where the service is a chart. */
  skipsChartCheck?: boolean;
  /** The job whose outputs the images are. */
  imagesFrom: string;
}

/** Minutes that a deployment may take; a project has no setting of its own. */
const deployMinutes = 10;

/** A deploy job: one job task for each service (contract W 8.9). */
export const planner: JobPlanner = {
  select: selectServices,
  expand: async (job, scope) => {
    const spec = readSpec(zadigDeploy, job);
    return (await servicesOf(job, spec, scope)).map((service) => expandService(spec, service));
  },
  variables: async (job, scope) => {
    const spec = readSpec(zadigDeploy, job);
    const services = await servicesOf(job, spec, scope);
    const deployed = services.map((service) => ({
      name: service.service_name,
      modules: modulesOf(service).map(({ module, image }) => ({ name: module, image })),
    }));
    return new Map([...deployVariables(deployed, spec.env ?? ""), ["VERSION_NAME", spec.version_name ?? ""]]);
  },
};

async function servicesOf(job: WorkflowJob, spec: DeploySpec, scope: PlanScope): Promise<DeployService[]> {
  const listed = listedServices(spec);
  const version = versionNameOf(job, spec, scope);
  if (version !== "")
    return servicesOfVersion(job, spec, distinct(listed), { name: version, projectKey: scope.project.key });
  if (spec.source !== "fromjob") return distinct(listed);
  const from = originOf(spec);
  const taken = chosenOf(modulesOfJob(scope, { by: job.name, from, mustRun: true }), modulesIn(listed));
  if (taken.length === 0)
    throw new ApiError(6160, `job ${job.name} has nothing to deploy: job ${from} works on no such service`);
  const configured = new Map(listed.map((service) => [service.service_name, service]));
  return groupByService(taken).map((service) => ({
    ...service,
    ...configured.get(service.service_name),
    modules: service.modules,
  }));
}

function distinct(services: readonly DeployService[]): DeployService[] {
  return [...new Map(services.toReversed().map((service) => [service.service_name, service])).values()].toReversed();
}

function modulesOf({ service_name, modules }: DeployService): { module: string; image: string }[] {
  return modules.map(({ service_module, image }) => ({
    module: service_module,
    image: withServiceModule(image ?? "", service_name, service_module),
  }));
}

function expandService(spec: DeploySpec, service: DeployService): ExpandedJob {
  const { service_name } = service;
  const contents = spec.deploy_contents.length > 0 ? spec.deploy_contents : ["image"];
  const variables = variablesOf(spec, service);
  const strategy = service.value_merge_strategy || spec.value_merge_strategy || "";
  const overrides = service.override_kvs.map(({ key, value }) => ({ key, value: value ?? null }));
  const run: DeployRun = {
    env: spec.env ?? "",
    production: spec.production === true,
    deployType: spec.deploy_type || "k8s",
    contents,
    service: service_name,
    modules: modulesOf(service),
    variables,
    values: {
      ...{ yaml: service.variable_yaml ?? "", overrides },
      merges: strategy !== "override",
      ...(spec.value_sync_strategy === "auto" &&
        Boolean(service.source_git_repo) && { source: service.source_git_repo }),
    },
    updatesConfig: service.update_config !== false,
    skipsCheck: spec.skip_check_run_status === true,
    skipsChartCheck: spec.skip_check_helm_workload_status === true,
    imagesFrom: spec.source === "fromjob" ? originOf(spec) : "",
  };
  return {
    parts: [service_name],
    jobInfo: { service_name },
    spec: {
      env: run.env,
      env_alias: "",
      production: run.production,
      service_type: run.deployType,
      deploy_contents: contents,
      skip_check_run_status: run.skipsCheck,
      is_import_to_deploy: false,
      service_and_images: run.modules.map(({ module, image }) => ({ service_name, service_module: module, image })),
      yaml_content: "",
      user_supplied_value: service.variable_yaml ?? "",
      variable_kvs: [
        ...variables.map(({ key, value, useGlobalVariable }) => ({
          ...{ key, value: value ?? "", use_global_variable: useGlobalVariable ?? false },
        })),
        ...overrides.map(({ key, value }) => ({ key, value, use_global_variable: false })),
      ],
      origin_revision: 0,
      value_merge_strategy: strategy,
    },
    run: { ...run },
    timeoutMinutes: deployMinutes,
  };
}

/** Values that the job fixes, then those of the service; the later one of a key counts. */
function variablesOf(spec: DeploySpec, service: DeployService): DeployRun["variables"] {
  const fixed = spec.service_variable_config
    .filter(({ service_name }) => service_name === service.service_name)
    .flatMap(({ variable_configs }) => variable_configs)
    .filter(({ source, value, use_global_variable }) =>
      source === "runtime" ? false : (value ?? "") !== "" || typeof use_global_variable === "boolean",
    )
    .map(({ variable_key, value, use_global_variable }) => ({ key: variable_key, value, use_global_variable }));
  const all = [...fixed, ...service.key_vals, ...service.variable_kvs].map(({ key, value, use_global_variable }) => ({
    key,
    ...(value !== undefined && value !== null && { value }),
    ...(typeof use_global_variable === "boolean" && { useGlobalVariable: use_global_variable }),
  }));
  return [...new Map(all.map((one) => [one.key, one])).values()];
}
