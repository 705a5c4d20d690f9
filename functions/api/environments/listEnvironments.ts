import { notFound } from "../../../shared/domain/errors/apiError.ts";
import { refusal } from "../../../shared/domain/identity/permission.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { type EnvironmentSummary, listEnvironments } from "../../../shared/store/environments.ts";
import { findProject } from "../../../shared/store/projects.ts";

/**
 * The environments of one kind that the caller may see (contract P 4.1, I 4.7): none is an empty list, never 403.
 * @throws ApiError 404 for an unknown project, to a system administrator only (decisions 1.1)
 */
export async function visibleEnvironments(
  projectKey: string,
  production: boolean,
  caller: Caller,
): Promise<EnvironmentSummary[]> {
  const [summaries, project] = await Promise.all([
    listEnvironments(projectKey),
    caller.grants.systemAdmin ? findProject(projectKey) : undefined,
  ]);
  if (caller.grants.systemAdmin && (project === undefined || project.deleting)) throw notFound(`project ${projectKey}`);
  const verbs = [production ? "get_production_environment" : "get_environment"] as const;
  return summaries.filter((summary) => {
    if (summary.production !== production) return false;
    const scope = { projectKey, environment: summary.envKey };
    return refusal({ kind: "verb", verbs, collaboration: "environment" }, caller, scope) === undefined;
  });
}
