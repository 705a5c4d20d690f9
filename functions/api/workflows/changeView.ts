import { ApiError, notFound } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { table } from "../../../shared/base/store/table.ts";
import { conflictedOn } from "../../../shared/base/store/tableClient.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { requireProject } from "../../../shared/projects/store/projects.ts";
import * as store from "../../../shared/workflows/saved/store/workflowViews.ts";

type Name = Pick<store.WorkflowView, "projectKey" | "name">;

/** Every workflow that is named is shown in it (contract W 9.2). @throws ApiError 404 for an unknown project; 6892 */
export async function createView(
  { projectKey, name }: Name,
  workflows: readonly Omit<store.ViewedWorkflow, "enabled">[],
  caller: Caller,
): Promise<void> {
  await requireProject(projectKey);
  const enabled = workflows.map((workflow) => ({ ...workflow, enabled: true }));
  const view = { projectKey, name, workflows: enabled, updatedBy: caller.name, updatedAt: nowSeconds() };
  try {
    await store.createView(view);
  } catch (error) {
    throw conflictedOn(error, "view")
      ? new ApiError(6892, `workflow view ${name} exists in project ${projectKey}`)
      : error;
  }
}

/**
 * A patch (contract W 9.3): what is in the view takes the given `enabled`, what is not comes into it when enabled, and
 * what is not named stays.
 * @throws ApiError 404
 */
export async function updateView(
  { projectKey, name }: Name,
  changes: readonly store.ViewedWorkflow[],
  caller: Caller,
): Promise<void> {
  await retryOnConflict(async () => {
    const view = await store.findView(projectKey, name);
    if (view === undefined) throw notFound(`workflow view ${name} in project ${projectKey}`);
    const given = new Map(changes.map((change) => [change.key, change]));
    const known = new Set(view.workflows.map(({ key }) => key));
    const kept = view.workflows.map((workflow) => given.get(workflow.key) ?? workflow);
    const added = changes.filter(({ key, enabled }) => enabled && !known.has(key));
    await table().write(store.changeView(view, [...kept, ...added], caller.name));
  });
}

/** An unknown one is left alone. */
export async function deleteView({ projectKey, name }: Name): Promise<void> {
  await retryOnConflict(async () => {
    const view = await store.findView(projectKey, name);
    if (view !== undefined) await table().write(store.removeView(view));
  });
}
