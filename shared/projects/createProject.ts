import type { BoundUser } from "../access/identity/store/bindings.ts";
import { ApiError } from "../base/errors/apiError.ts";
import { nowSeconds } from "../base/store/ids.ts";
import { table } from "../base/store/table.ts";
import { conflictedOn } from "../base/store/tableClient.ts";
import { newProjectWrites, type Project } from "./store/projects.ts";

export type NewProject = Pick<Project, "projectKey" | "name" | "isPublic" | "description" | "projectType">;

/**
 * Creates a project with its roles and the grants that come with it, all or nothing (contract P 1.1).
 * @throws ApiError 6060 that says whether the key or the name is taken
 */
export async function createProject(wanted: NewProject, creator: BoundUser): Promise<void> {
  try {
    await table().write(...(await newProjectWrites(newProject(wanted, creator.name), creator)));
  } catch (error) {
    refuseTaken(wanted, error);
    throw error;
  }
}

export function newProject(wanted: NewProject, createdBy: string): Project {
  const now = nowSeconds();
  return { ...wanted, createdBy, createdAt: now, updatedAt: now };
}

/** Tells what a failed creation met, when it was a taken key or name. @throws ApiError 6060 */
export function refuseTaken({ projectKey, name }: NewProject, error: unknown): void {
  const problems = [
    ...(conflictedOn(error, "project") ? [`a project with the same key exists, please check: ${projectKey}`] : []),
    ...(conflictedOn(error, "project name") ? [`a project with the same name exists, please check: ${name}`] : []),
  ];
  if (problems.length > 0) throw new ApiError(6060, problems.join("; "));
}
