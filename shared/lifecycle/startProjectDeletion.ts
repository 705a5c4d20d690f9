import { removeBindingsIn } from "../access/identity/store/bindings.ts";
import { enableReconciler } from "../base/reconciling/enableReconciler.ts";
import { retryOnConflict } from "../base/store/retryOnConflict.ts";
import { table } from "../base/store/table.ts";
import { ConditionFailed } from "../base/store/tableClient.ts";
import { removeAllVersions } from "../delivery/changeVersion.ts";
import type { Actor } from "../environments/change/createEnvironment.ts";
import { startDeletion } from "../environments/change/startDeletion.ts";
import { findEnvironment, listEnvironments } from "../environments/store/environments.ts";
import { requireNoFreeze } from "../projects/freezes/requireNoFreeze.ts";
import type { FreezePlace } from "../projects/freezes/rules/freeze.ts";
import { removeAllServices } from "../projects/services/store/services.ts";
import { findProject, markProjectDeleting, projectMustBeLeaving, removeProject } from "../projects/store/projects.ts";
import { removeAllDefinitions } from "../workflows/jobDefinitions/store/removeAllDefinitions.ts";
import type { CancelTasks } from "../workflows/records/task.ts";
import { removeAllWorkflows } from "../workflows/saved/deleteWorkflow.ts";

/**
 * Begins the deletion of a project (contract P 1.6): it vanishes at once, its tasks end, its environments go one by one,
 * its key is free when all is gone. An unknown project and one that is being deleted are left alone.
 * @throws ApiError 409 while a freeze holds for one of its production environments
 */
export async function startProjectDeletion(
  { projectKey, isDelete, passesFreezes }: { projectKey: string; isDelete: boolean; passesFreezes: boolean },
  actor: Pick<Actor, "name">,
  cancelTasks: CancelTasks,
): Promise<void> {
  const project = await findProject(projectKey);
  if (project === undefined || project.deleting) return;
  if (!passesFreezes) await requireNoFreeze(await productionOf(projectKey));
  await enableReconciler();
  try {
    await table().write(...markProjectDeleting(projectKey, { deleteObjects: isDelete, by: actor.name }));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  await continueProjectDeletion(projectKey, cancelTasks);
}

async function productionOf(projectKey: string): Promise<FreezePlace[]> {
  const environments = await listEnvironments(projectKey);
  return environments.flatMap(({ production, envKey }) => (production ? [{ projectKey, envKey }] : []));
}

/**
 * Does the next part of a deletion: starts what has not started, and removes the project when no environment is left.
 * Called when it begins, whenever one of its environments is gone, and by the reconciler, at the same moment too: a
 * call that finds that another removed something first looks again.
 * @param cancelTasks absent where an environment is gone: the call that started the deletion has ended the tasks
 */
export function continueProjectDeletion(projectKey: string, cancelTasks?: CancelTasks): Promise<void> {
  return retryOnConflict(() => removeRest(projectKey, cancelTasks));
}

async function removeRest(projectKey: string, cancelTasks?: CancelTasks): Promise<void> {
  const project = await findProject(projectKey);
  if (!project?.deleting) return;
  // First, so that no new task begins while they are cancelled.
  const owners = [...(await removeAllWorkflows(projectKey)), ...(await removeAllDefinitions(projectKey))];
  for (const ownerId of owners) await cancelTasks?.(ownerId);
  const summaries = await listEnvironments(projectKey);
  const environments = await Promise.all(summaries.map(({ envKey }) => findEnvironment(projectKey, envKey)));
  const left = environments.filter((environment) => environment !== undefined);
  for (const environment of left) {
    // A `loaded` project only looks at workloads of others.
    const deleteObjects = project.deleteObjects === true && project.projectType !== "loaded";
    await startDeletion(environment, { deleteObjects }, { name: project.deletedBy ?? "" });
  }
  if (left.length > 0) return;
  if (!(await removeAllVersions(projectKey))) return;
  await removeAllServices(projectKey);
  await removeBindingsIn(projectKey, projectMustBeLeaving(projectKey));
  try {
    await removeProject(project);
  } catch (error) {
    // An environment that lists do not show yet: the reconciler comes again.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
