import { type BuildOption, needsBuilds, withOptions } from "../../../shared/domain/workflow/jobOptions.ts";
import { listServices } from "../../../shared/store/services.ts";
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
  const builds = needsBuilds(workflow.source) ? await buildOptionsOf(projectKey) : [];
  return { ...workflow, source: withOptions(workflow.source, { builds }) };
}

async function buildOptionsOf(projectKey: string): Promise<BuildOption[]> {
  const services = await listServices(projectKey, "test");
  return services.flatMap(({ name, containers }) =>
    containers.map((container) => ({ serviceName: name, serviceModule: container.name, buildName: "" })),
  );
}
