import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import type { Write } from "../../base/store/writes.ts";
import { projectMustBeLeaving } from "../../projects/store/projects.ts";
import type { CancelTasks } from "../records/task.ts";
import { removeTriggers } from "../triggers/records/triggers.ts";
import { removeCredentials } from "./store/workflowCredentials.ts";
import { findWorkflow, listWorkflows, removeWorkflow, type VersionedWorkflow } from "./store/workflows.ts";
import { findUses, putUses, workflowUser } from "./store/workflowUses.ts";
import { changeView, listViews, removeView } from "./store/workflowViews.ts";
import { withUses } from "./withUses.ts";
import { workflowMissing } from "./workflowMissing.ts";

/**
 * Deletes a workflow: it leaves the views of its project, and its tasks are cancelled (contract W 2.11) once no other
 * can be started. What is left when a step fails goes when the deletion is asked for again, tasks with the reconciler.
 * @throws ApiError 404 when the project has none under that key
 */
export async function deleteWorkflow(
  { projectKey, key }: { projectKey: string; key: string },
  cancelTasks: CancelTasks,
): Promise<void> {
  const workflow = await findWorkflow(key);
  if (workflow === undefined || workflow.projectKey !== projectKey) throw workflowMissing(key);
  await takeAway(workflow);
  await cancelTasks(workflow.workflowId);
}

/**
 * For the deletion of a project; may be repeated. @returns the ids of those that went
 * @throws ConditionFailed when the project exists (again)
 */
export async function removeAllWorkflows(projectKey: string): Promise<string[]> {
  const gone: string[] = [];
  const leaving = projectMustBeLeaving(projectKey);
  for (const { key } of await listWorkflows(projectKey)) {
    const workflow = await findWorkflow(key);
    if (workflow?.projectKey !== projectKey) continue;
    await takeAway(workflow, leaving);
    gone.push(workflow.workflowId);
  }
  for (const view of await listViews(projectKey)) await table().write(removeView(view), leaving);
  return gone;
}

async function takeAway(workflow: VersionedWorkflow, ...beside: Write[]): Promise<void> {
  const { key, workflowId, projectKey } = workflow;
  await leaveViews(projectKey, key);
  await retryOnConflict(async () => {
    const current = await findWorkflow(key);
    // Another deletion was faster, and a new workflow may exist under the key.
    if (current?.workflowId !== workflowId) return;
    const uses = { before: await findUses(key), after: [], user: workflowUser(current) };
    const own = [removeCredentials(key), await putUses(key, [])];
    await withUses(uses, (ended) => removeWorkflow(current, [...own, ...beside, ...ended]));
  });
  // What a crash leaves here starts nothing: the workflow that it names is gone.
  if (await removeTriggers(key, workflowId)) await enableReconciler();
}

async function leaveViews(projectKey: string, key: string): Promise<void> {
  await retryOnConflict(async () => {
    for (const view of await listViews(projectKey)) {
      const left = view.workflows.filter((workflow) => workflow.key !== key);
      if (left.length < view.workflows.length) await table().write(changeView(view, left, "system"));
    }
  });
}
