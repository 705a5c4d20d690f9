import type { ApplyScope } from "../kube/prepareObjects.ts";
import { parseClusterKinds } from "../kube/scopeRules.ts";
import { config } from "../settings/config.ts";
import type { Change } from "./store/changes.ts";

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
