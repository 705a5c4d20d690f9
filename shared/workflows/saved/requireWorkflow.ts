import { findWorkflow, type VersionedWorkflow } from "./store/workflows.ts";
import { workflowMissing } from "./workflowMissing.ts";

/** A workflow of this project. @throws ApiError 404, also when it is another project's */
export async function requireWorkflow(projectKey: string, key: string): Promise<VersionedWorkflow> {
  const workflow = await findWorkflow(key);
  if (workflow === undefined || workflow.projectKey !== projectKey) throw workflowMissing(key);
  return workflow;
}
