import { makeCopies } from "../../../shared/collaborations/makeCopies.ts";
import { notFound } from "../../../shared/domain/errors/apiError.ts";
import { mayReadEnvironment } from "../../../shared/domain/identity/mayReadEnvironment.ts";
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
  const [{ summaries, grants }, project] = await Promise.all([
    withCopies(projectKey, caller),
    caller.grants.systemAdmin ? findProject(projectKey) : undefined,
  ]);
  if (caller.grants.systemAdmin && (project === undefined || project.deleting)) throw notFound(`project ${projectKey}`);
  return summaries.filter(
    (summary) => summary.production === production && mayReadEnvironment({ ...caller, grants }, projectKey, summary),
  );
}

/**
 * A member's look at the list is what makes the copies that a collaboration mode promises (contract I 8.3). The caller's
 * grants were loaded before: what they lack of the new copies comes with the list.
 */
async function withCopies(
  projectKey: string,
  caller: Caller,
): Promise<{ summaries: EnvironmentSummary[]; grants: Caller["grants"] }> {
  const { uid, grants } = caller;
  const summaries = await listEnvironments(projectKey);
  const isMissing = (name: string): boolean => summaries.every(({ envKey }) => envKey !== name);
  const awaited = grants.collaborations.some(({ isCopy, name }) => isCopy && isMissing(name));
  if (!awaited && !grants.lacksCopies) return { summaries, grants };
  const collaborations = [...grants.collaborations, ...(await makeCopies(projectKey, uid))];
  return { summaries: await listEnvironments(projectKey), grants: { ...grants, collaborations } };
}
