import { notFound } from "../../../shared/base/errors/apiError.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { findProject } from "../../../shared/projects/store/projects.ts";

/** An empty list may be that of an unknown project, which a system administrator is told. @throws ApiError 404 */
export async function requireForAdministrator(projectKey: string, { grants }: Caller): Promise<void> {
  if (!grants.systemAdmin) return;
  const project = await findProject(projectKey);
  if (project === undefined || project.deleting) throw notFound(`project ${projectKey}`);
}
