import { config } from "../config.ts";
import type { ApplyScope } from "../deploy/prepareObjects.ts";
import { parseClusterKinds } from "../deploy/scopeRules.ts";
import type { Change } from "../store/changes.ts";

/** Whose objects a change applies and where they go. */
export function applyScope(
  change: Pick<Change, "environmentId" | "envKey" | "projectKey" | "namespace" | "production">,
  serviceName?: string,
): ApplyScope {
  return {
    environmentId: change.environmentId,
    environmentKey: change.envKey,
    projectKey: change.projectKey,
    namespace: change.namespace,
    production: change.production,
    ...(serviceName !== undefined && { serviceName }),
    clusterKinds: parseClusterKinds(config().SLIPWAY_CLUSTER_SCOPED_KINDS),
  };
}
