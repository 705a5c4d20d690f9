import { listEnvironments } from "../../environments/store/environments.ts";
import type { FreezePlace } from "../../projects/freezes/rules/freeze.ts";
import { jobKindOf } from "../definition/jobKinds.ts";
import type { JobPlan } from "../records/task.ts";

/** What planners leave their runners of where they work; texts may hold variables that are not known yet. */
interface Target {
  env?: string;
  production?: boolean;
  clusterId?: string;
  namespace?: string;
}

/** The production environments that a planned job changes, as far as it says so: freezes of them hold it off. */
export async function freezePlaces(
  projectKey: string,
  { type, run }: Pick<JobPlan, "type" | "run">,
): Promise<FreezePlace[]> {
  const kind = jobKindOf(type);
  const { env, production, clusterId, namespace }: Target = run;
  if (kind?.changesEnvironment === true) return production === true ? [{ projectKey, envKey: env }] : [];
  if (kind?.namesNamespace !== true) return [];
  const environments = await listEnvironments(projectKey);
  return environments
    .filter((environment) => environment.production && environment.namespace === namespace)
    .filter((environment) => !clusterId || environment.clusterId === clusterId)
    .map(({ envKey }) => ({ projectKey, envKey }));
}
