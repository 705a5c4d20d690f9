import type { Grants } from "../../../shared/identity/rules/grants.ts";
import { findProjects, type ProjectSummary, pageOfProjects } from "../../../shared/projects/store/projects.ts";

/** A page of what the caller may see (contract P 1.4): all projects, or those in which the caller holds a role. */
export async function listProjects(
  grants: Grants,
  page: number,
  pageSize: number,
): Promise<{ projects: ProjectSummary[]; total: number }> {
  if (grants.systemAdmin || grants.readsEverything) return pageOfProjects(page, pageSize);
  const visible = await findProjects([...grants.projects.keys()]);
  return { projects: visible.slice((page - 1) * pageSize, page * pageSize), total: visible.length };
}
