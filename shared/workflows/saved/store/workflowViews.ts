import { mustHaveVersion } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, named, remove, replace, type Write } from "../../../base/store/writes.ts";
import { projectMustStand } from "../../../projects/store/projects.ts";

export const viewTypes = ["custom", "product"] as const;

/** A workflow of a view; one that is not enabled is kept and not shown (contract W 9.3). */
export interface ViewedWorkflow {
  key: string;
  type: (typeof viewTypes)[number];
  enabled: boolean;
}

/** A named list of workflows of a project (contract W 9). Keys are not checked for existence. */
export interface WorkflowView {
  projectKey: string;
  name: string;
  workflows: readonly ViewedWorkflow[];
  updatedBy: string;
  /** Unix seconds. */
  updatedAt: number;
}

export function findView(projectKey: string, name: string): Promise<Item<WorkflowView> | undefined> {
  return table().get<WorkflowView>(keys.workflowView(projectKey, name));
}

/** All views of a project by name. */
export function listViews(projectKey: string): Promise<Item<WorkflowView>[]> {
  return table().query<WorkflowView>({ pk: keys.workflowView(projectKey, "").pk });
}

/** @throws ConditionFailed "view" when the name is taken, "project" when that is gone */
export async function createView(view: WorkflowView): Promise<void> {
  await table().write(named("view", create(toItem(view))), projectMustStand(view.projectKey));
}

/** Fails when the view changed since it was read. */
export function changeView(before: Item<WorkflowView>, workflows: readonly ViewedWorkflow[], by: string): Write {
  const { projectKey, name, version } = before;
  return replace(toItem({ projectKey, name, workflows, updatedBy: by, updatedAt: nowSeconds() }), version);
}

/** Fails when the view changed since it was read. */
export function removeView({ projectKey, name, version }: Item<WorkflowView>): Write {
  return remove(keys.workflowView(projectKey, name), mustHaveVersion(version));
}

function toItem(view: WorkflowView) {
  return { ...view, ...keys.workflowView(view.projectKey, view.name), type: "workflow-view" };
}
