import type { DeployRequest } from "../../../environments/deploy/planDeploy.ts";
import { findProject } from "../../../projects/store/projects.ts";
import type { DeployRun } from "./planner.ts";

/** What a deploy job asks of the environment. */
export function deployRequest(projectKey: string, settings: DeployRun): DeployRequest {
  const { env, production, service, contents, modules, variables, updatesConfig } = settings;
  const images = modules.filter(({ image }) => image !== "").map(({ module, image }) => ({ name: module, image }));
  return { projectKey, envKey: env, production, service, contents, images, variables, updatesConfig };
}

/** Why it cannot be deployed at all, told before anything is touched. */
export async function deployRefusal(projectKey: string, settings: DeployRun): Promise<string | undefined> {
  const { env, contents, deployType, modules, imagesFrom, service } = settings;
  const project = await findProject(projectKey);
  if (deployType === "helm" || project?.projectType === "helm")
    return "services of Helm projects cannot be deployed by jobs yet";
  if (project?.projectType !== "yaml") return "only services of YAML projects can be deployed by jobs";
  if (env === "") return "no environment is named; send env_name, or configure env";
  const missing = modules.filter(({ image }) => image === "").map(({ module }) => `${service}/${module}`);
  if (!contents.includes("image")) return undefined;
  if (imagesFrom !== "" && missing.length > 0) return `job ${imagesFrom} gave no image for ${missing.join(", ")}`;
  if (contents.length === 1 && missing.length === modules.length) return `no image is named for service ${service}`;
  return undefined;
}
