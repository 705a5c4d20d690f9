import { findBoundary } from "./store/boundaries.ts";

/**
 * Why jobs of the project may neither run privileged nor with the container engine of their node (decisions 17.6), to follow
 * the name of the field; undefined when its boundary lets them. One consistent read.
 */
export async function privilegedJobProblem(projectKey: string): Promise<string | undefined> {
  const boundary = await findBoundary(projectKey, { consistent: true });
  if (boundary?.privilegedJobs === true) return undefined;
  const where = `PUT /openapi/system/projects/${projectKey}/boundary`;
  return `needs privileged_jobs in the boundary of project ${projectKey}, which a system administrator can set (${where})`;
}
