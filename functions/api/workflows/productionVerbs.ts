import { refusal } from "../../../shared/access/identity/rules/permission.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { type EnvironmentSummary, listEnvironments } from "../../../shared/environments/store/environments.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import type { WorkflowDefinition, WorkflowJob } from "../../../shared/workflows/definition/definition.ts";
import { jobKindOf } from "../../../shared/workflows/definition/jobKinds.ts";

const verbs = { test: "config_environment", production: "config_production_environment" } as const;
type Kind = keyof typeof verbs;

/**
 * What a workflow does in a cluster its author must be allowed to do (decisions 5.7, last sentence).
 * @throws ApiError 403 naming the job and the permission that is missing
 */
export async function requireTargetVerbs({ project, stages }: WorkflowDefinition, caller: Caller): Promise<void> {
  const jobs = stages.flatMap((stage) => stage.jobs).filter(hasTarget);
  if (jobs.length === 0) return;
  const environments = await listEnvironments(project);
  for (const job of jobs)
    for (const kind of kindsOf(job, environments)) {
      const action = { permission: { kind: "verb", verbs: [verbs[kind]] }, mutates: true } as const;
      const refused = refusal(action, caller, { projectKey: project });
      if (refused !== undefined) throw new ApiError(403, `job ${job.name}: ${refused}`);
    }
}

function hasTarget({ type, spec }: WorkflowJob): boolean {
  return jobKindOf(type)?.namesNamespace === true || spec?.production === true || environmentOf(spec) !== undefined;
}

/** Which kinds of environment a job may reach; a namespace that is no environment's yet may become one of either. */
function kindsOf({ type, spec }: WorkflowJob, environments: readonly EnvironmentSummary[]): Kind[] {
  if (jobKindOf(type)?.namesNamespace === true) {
    const found = environments.filter(({ namespace }) => namespace === spec?.namespace);
    return found.length === 0 ? ["test", "production"] : found.map(kindOf);
  }
  const named = environments.find(({ envKey }) => envKey === environmentOf(spec));
  const isProduction = spec?.production === true || spec?.env_type === "production" || named?.production === true;
  return isProduction ? ["production"] : [];
}

function environmentOf(spec: WorkflowJob["spec"]): string | undefined {
  const name = spec?.env ?? spec?.env_name;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function kindOf({ production }: EnvironmentSummary): Kind {
  return production ? "production" : "test";
}
