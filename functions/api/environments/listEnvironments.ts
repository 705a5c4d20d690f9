import { environmentCopies } from "../../../shared/collaborations/environmentCopies.ts";
import { makeAwaitedCopies } from "../../../shared/collaborations/makeCopies.ts";
import { type EnvironmentSummary, listEnvironments } from "../../../shared/environments/store/environments.ts";
import { notFound } from "../../../shared/errors/apiError.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { mayReadEnvironment } from "../../../shared/identity/rules/mayReadEnvironment.ts";
import { findProject } from "../../../shared/projects/store/projects.ts";

/**
 * The environments of one kind that the caller may see (contract P 4.1, I 4.7): none is an empty list, never 403.
 * @throws ApiError 404 for an unknown project, to a system administrator only (decisions 1.1)
 */
export async function visibleEnvironments(
  projectKey: string,
  production: boolean,
  caller: Caller,
): Promise<EnvironmentSummary[]> {
  const [{ summaries, grants }, project] = await Promise.all([
    withCopies(projectKey, caller),
    caller.grants.systemAdmin ? findProject(projectKey) : undefined,
  ]);
  if (caller.grants.systemAdmin && (project === undefined || project.deleting)) throw notFound(`project ${projectKey}`);
  return summaries.filter(
    (summary) => summary.production === production && mayReadEnvironment({ ...caller, grants }, projectKey, summary),
  );
}

/** With the copies that collaboration modes promise the caller, which this look makes. */
async function withCopies(
  projectKey: string,
  caller: Caller,
): Promise<{ summaries: EnvironmentSummary[]; grants: Caller["grants"] }> {
  const summaries = await listEnvironments(projectKey);
  const names = summaries.map(({ envKey }) => envKey);
  const grants = await makeAwaitedCopies(environmentCopies, projectKey, caller, names);
  if (grants === undefined) return { summaries, grants: caller.grants };
  return { summaries: await listEnvironments(projectKey), grants };
}
