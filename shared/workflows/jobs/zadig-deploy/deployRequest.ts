import type { DeployRequest } from "../../../environments/deploy/planDeploy.ts";
import { findProject } from "../../../projects/store/projects.ts";
import type { DeployRun } from "./planner.ts";

/** What a deploy job asks of the environment. */
export function deployRequest(projectKey: string, settings: DeployRun): DeployRequest {
  const { env, production, service, contents, modules, variables, values, updatesConfig } = settings;
  const images = modules.filter(({ image }) => image !== "").map(({ module, image }) => ({ name: module, image }));
  const place = { projectKey, envKey: env, production, service };
  return {
    ...place,
    contents,
    images,
    variables,
    updatesConfig,
    ...(values && { values: valuesOf(settings, values) }),
  };
}

/** Of a chart: a variable is a place in the values, too. */
function valuesOf({ variables }: DeployRun, { yaml, overrides, merges }: NonNullable<DeployRun["values"]>) {
  const named = variables.flatMap(({ key, value }) => (value === undefined ? [] : [{ key, value }]));
  return { valuesYaml: yaml, mergesValues: merges, overrideKvs: [...named, ...overrides] };
}

/** Why it cannot be deployed at all, told before anything is touched. */
export async function deployRefusal(projectKey: string, settings: DeployRun): Promise<string | undefined> {
  const { env, contents, deployType, modules, imagesFrom, service } = settings;
  const type = (await findProject(projectKey))?.projectType;
  if (type !== "yaml" && type !== "helm")
    return `jobs deploy services of yaml and helm projects, and project ${projectKey} is of type ${type}`;
  if (deployType === "helm" && type === "yaml")
    return `deploy_type is helm, and project ${projectKey} is of type yaml; set deploy_type to k8s`;
  if (type === "helm") {
    const problem = valuesRefusal(settings);
    if (problem !== undefined) return problem;
  }
  if (env === "") return "no environment is named; send env_name, or configure env";
  const missing = modules.filter(({ image }) => image === "").map(({ module }) => `${service}/${module}`);
  if (!contents.includes("image")) return undefined;
  if (imagesFrom !== "" && missing.length > 0) return `job ${imagesFrom} gave no image for ${missing.join(", ")}`;
  if (contents.length === 1 && missing.length === modules.length) return `no image is named for service ${service}`;
  return undefined;
}

/** What is asked of a chart's values and cannot be done. */
function valuesRefusal({ service, variables, values }: DeployRun): string | undefined {
  const global = variables.find(({ useGlobalVariable }) => useGlobalVariable === true);
  if (global !== undefined)
    return `service ${service} is a chart, which takes no global variables yet; give ${global.key} a value of its own`;
  if (values?.syncs === true)
    return `service ${service} takes its values from a repository, which is not read yet; set value_sync_strategy to manual and send variable_yaml`;
  return undefined;
}
