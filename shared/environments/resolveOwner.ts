import type { ResolveOwner } from "../kube/apply/checkOwnership.ts";
import { environmentsOnCluster } from "./store/environments.ts";

/** Tells which environment of a cluster an ownership label means; reads the environments once, when first asked. */
export function ownersOn(clusterId: string): ResolveOwner {
  let environments: ReturnType<typeof environmentsOnCluster> | undefined;
  return async (environmentId) => {
    environments ??= environmentsOnCluster(clusterId);
    const owner = (await environments).find((candidate) => candidate.environmentId === environmentId);
    return owner && { projectKey: owner.projectKey, environmentKey: owner.envKey };
  };
}
