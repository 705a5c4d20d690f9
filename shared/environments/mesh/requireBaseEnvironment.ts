import { EnvironmentProblem } from "../failures.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { findEnvironment } from "../store/environments.ts";
import { enablingPath } from "./enablingPath.ts";

/**
 * A sub-environment exists beside its base: in the same project, on the same cluster, in another namespace.
 * @throws EnvironmentProblem when the environment named cannot be its base
 */
export async function requireBaseEnvironment(
  sub: Pick<EnvironmentRecord, "projectKey" | "envKey" | "clusterId" | "namespace" | "production">,
  baseEnv: string,
): Promise<void> {
  const base = baseEnv === "" ? undefined : await findEnvironment(sub.projectKey, baseEnv);
  const problem = baseEnv === "" ? "sub_env.base_env is required where enable is true" : problemOf(sub, baseEnv, base);
  if (problem !== undefined) throw new EnvironmentProblem(problem);
}

function problemOf(
  { projectKey, clusterId, namespace, production }: Parameters<typeof requireBaseEnvironment>[0],
  baseEnv: string,
  base: EnvironmentRecord | undefined,
): string | undefined {
  if (base === undefined || base.production !== production)
    return `base environment ${baseEnv} does not exist among the ${production ? "production" : "test"} environments of project ${projectKey}`;
  if (base.baseEnv !== undefined)
    return `environment ${baseEnv} is a sub-environment itself; its base is ${base.baseEnv}`;
  if (base.status === "deleting") return `base environment ${baseEnv} is being deleted`;
  if (base.share !== "enabled") return `environment ${baseEnv} is not a base; ${enablingPath(base)} makes it one`;
  if (base.status === "sleeping" || base.asleep === true)
    return `base environment ${baseEnv} is sleeping; wake it first`;
  if (base.clusterId !== clusterId)
    return `a sub-environment stands on the cluster of its base, which is ${base.clusterId}`;
  if (base.namespace === namespace) return `a sub-environment needs a namespace of its own; ${namespace} is its base's`;
  return undefined;
}
