import { type BuildOption, needsBuilds, withOptions } from "../../../shared/domain/workflow/jobOptions.ts";
import { builds } from "../../../shared/store/definitions/builds.ts";
import { findWorkflow, type VersionedWorkflow } from "../../../shared/store/workflows.ts";
import { workflowMissing } from "../../../shared/workflows/deleteWorkflow.ts";

/** A workflow of this project. @throws ApiError 404, also when it is another project's */
export async function requireWorkflow(projectKey: string, key: string): Promise<VersionedWorkflow> {
  const workflow = await findWorkflow(key);
  if (workflow === undefined || workflow.projectKey !== projectKey) throw workflowMissing(key);
  return workflow;
}

/** The same, its jobs with what they may choose from (contract W 2.2). @throws ApiError 404 */
export async function requireWithOptions(projectKey: string, key: string): Promise<VersionedWorkflow> {
  const workflow = await requireWorkflow(projectKey, key);
  const options = needsBuilds(workflow.source) ? await buildOptionsOf(projectKey) : [];
  return { ...workflow, source: withOptions(workflow.source, { builds: options }) };
}

async function buildOptionsOf(projectKey: string): Promise<BuildOption[]> {
  const all = await builds.list(projectKey);
  return all.flatMap(({ name, targets }) => targets.map((target) => ({ ...target, buildName: name })));
}
