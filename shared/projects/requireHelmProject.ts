import { ApiError, notFound } from "../base/errors/apiError.ts";
import type { Project } from "./store/projects.ts";

/** Checks that a project exists with charts as services. @throws ApiError 404; 6040 for a project of another type */
export function requireHelmProject(
  project: Pick<Project, "projectType" | "deleting"> | undefined,
  projectKey: string,
): void {
  if (project === undefined || project.deleting) throw notFound(`project ${projectKey}`);
  if (project.projectType !== "helm")
    throw new ApiError(6040, `project ${projectKey} is of type ${project.projectType}: its services are no charts`);
}
