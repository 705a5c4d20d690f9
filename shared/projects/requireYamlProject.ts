import { ApiError, notFound } from "../errors/apiError.ts";
import type { Project } from "./store/projects.ts";

/**
 * Checks that a project exists and takes YAML services (decisions 6.6).
 * @throws ApiError 404; 6040 for a helm or a loaded project, which never does
 */
export function requireYamlProject(
  project: Pick<Project, "projectType" | "deleting"> | undefined,
  projectKey: string,
): void {
  if (project === undefined || project.deleting) throw notFound(`project ${projectKey}`);
  if (project.projectType === "loaded")
    throw new ApiError(
      6040,
      `project ${projectKey} is of type loaded: its services are what stands in a cluster, and have no YAML here`,
    );
  if (project.projectType === "helm")
    throw new ApiError(6040, `project ${projectKey} is of type helm: its services are charts, not YAML`);
}
