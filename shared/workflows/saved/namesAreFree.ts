import { ApiError } from "../../base/errors/apiError.ts";
import { conflictedOn } from "../../base/store/tableClient.ts";
import { findWorkflow, type Workflow } from "./store/workflows.ts";

/**
 * Makes `write`, which saves a workflow.
 * @throws ApiError 6540 for a key or a display name that is taken; ConditionFailed for what another write changed
 */
export async function namesAreFree(workflow: Workflow, write: () => Promise<void>): Promise<void> {
  const { key, displayName, projectKey } = workflow;
  try {
    await write();
  } catch (error) {
    if (conflictedOn(error, "workflow name"))
      throw new ApiError(6540, `a workflow with the display name ${displayName} exists in project ${projectKey}`);
    const taken = conflictedOn(error, "workflow") ? await findWorkflow(key) : undefined;
    throw taken !== undefined && taken.workflowId !== workflow.workflowId ? keyTaken(taken) : error;
  }
}

export function keyTaken({ key, projectKey, displayName }: Workflow): ApiError {
  return new ApiError(
    6540,
    `workflow ${key} already exists in project ${projectKey} with the display name ${displayName}`,
  );
}
