import type { DeployRequest } from "../../../environments/deploy/planDeploy.ts";
import { readValuesFile } from "../../../environments/follow/readSourceFile.ts";
import { mergeTexts } from "../../../packaging/helm/rules/mergeTexts.ts";
import { findProject } from "../../../projects/store/projects.ts";
import type { DeployRun } from "./planner.ts";

/**
 * What a deploy job asks of the environment, with the values that it is to read out of a repository, as they are now
 * (`value_sync_strategy` auto).
 * @throws EnvironmentProblem naming what of the file is wrong
 */
export async function readDeployRequest(projectKey: string, settings: DeployRun): Promise<DeployRequest> {
  const { service, contents, values } = settings;
  if (values?.source === undefined || !contents.includes("vars")) return deployRequest(projectKey, settings);
  const field = `service ${service}: source_git_repo`;
  const yaml = mergeTexts(await readValuesFile(field, values.source), values.yaml);
  return deployRequest(projectKey, { ...settings, values: { ...values, yaml } });
}

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

/** Of a chart: a variable is a place in the values, too, unless it is the environment's own. */
function valuesOf({ variables }: DeployRun, { yaml, overrides, merges }: NonNullable<DeployRun["values"]>) {
  const named = variables.flatMap(({ key, value, useGlobalVariable }) =>
    value === undefined || useGlobalVariable === true ? [] : [{ key, value }],
  );
  return { valuesYaml: yaml, mergesValues: merges, overrideKvs: [...named, ...overrides] };
}

/** Why it cannot be deployed at all, reported before anything is changed. */
export async function deployRefusal(projectKey: string, settings: DeployRun): Promise<string | undefined> {
  const { env, contents, deployType, modules, imagesFrom, service } = settings;
  const type = (await findProject(projectKey))?.projectType;
  if (type !== "yaml" && type !== "helm")
    return `jobs deploy services of yaml and helm projects, and project ${projectKey} is of type ${type}`;
  if (deployType === "helm" && type === "yaml")
    return `deploy_type is helm, and project ${projectKey} is of type yaml; set deploy_type to k8s`;
  if (env === "") return "no environment is named; send env_name, or configure env";
  const missing = modules.filter(({ image }) => image === "").map(({ module }) => `${service}/${module}`);
  if (!contents.includes("image")) return undefined;
  if (imagesFrom !== "" && missing.length > 0) return `job ${imagesFrom} gave no image for ${missing.join(", ")}`;
  if (contents.length === 1 && missing.length === modules.length) return `no image is named for service ${service}`;
  return undefined;
}
