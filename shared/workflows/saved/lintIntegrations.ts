import type { Problem } from "../../base/errors/apiError.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { isForProject } from "../../integrations/rules/projectsOf.ts";
import type { Integration } from "../../integrations/store/integrationStore.ts";
import type { WorkflowDefinition } from "../definition/definition.ts";
import { jobKindOf } from "../definition/jobKinds.ts";
import { bodyProblem, placedJobs } from "../definition/placedJobs.ts";

/**
 * Integrations that are not for the project of the workflow (record 211). One that does not exist is no problem before a
 * start: the definition may come from another installation.
 */
export async function lintIntegrations({ project, stages }: WorkflowDefinition): Promise<Problem[]> {
  const named = placedJobs(stages).flatMap(({ job, path }) => {
    const uses = jobKindOf(job.type)?.uses;
    const id = uses && job.spec?.[uses.field];
    if (uses === undefined || typeof id !== "string" || id === "") return [];
    return [{ key: keys.integration(uses.kind, id), path: `${path}.spec.${uses.field}` }];
  });
  const distinct = new Map(named.map(({ key }) => [key.pk, key]));
  const records = await table().getMany<Integration<{ projects: readonly string[] }>>([...distinct.values()]);
  const foreign = new Set(records.filter(({ shown }) => !isForProject(shown, project)).map(({ pk }) => pk));
  return named
    .filter(({ key }) => foreign.has(key.pk))
    .map(({ path }) => bodyProblem(path, `is not for project ${project}: an administrator adds the project to it`));
}
