import { config } from "../../base/settings/config.ts";
import type { ApplyScope } from "../../kube/apply/prepareObjects.ts";
import type { Bounds } from "../../kube/bounds.ts";
import { anyKind } from "../../kube/rules/anyKind.ts";
import { parseClusterKinds } from "../../kube/scopeRules.ts";
import type { Change } from "../store/changes.ts";

/**
 * Whose objects a change applies and where they go.
 * @param change without bounds it is about what was admitted before, so that every cluster-scoped kind may be among it
 */
export function applyScope(
  change: Pick<Change, "environmentId" | "envKey" | "projectKey" | "namespace" | "production"> & {
    bounds?: Bounds | undefined;
  },
  serviceName?: string,
): ApplyScope {
  const { bounds } = change;
  return {
    environmentId: change.environmentId,
    environmentKey: change.envKey,
    projectKey: change.projectKey,
    namespace: change.namespace,
    production: change.production,
    ...(serviceName !== undefined && { serviceName }),
    clusterKinds: clusterKindsOf(bounds),
  };
}

/** The cluster-scoped kinds that may be applied within bounds (decisions 5.7, 20.7). */
export function clusterKindsOf(bounds: Bounds | undefined): readonly string[] {
  if (bounds === undefined) return [anyKind];
  return [...parseClusterKinds(config().SLIPWAY_CLUSTER_SCOPED_KINDS), ...(bounds.extraKinds ?? [])];
}
