import type { ClusterScopedOwners } from "../../kube/apply/clusterScopedOwners.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { leaveObject } from "./leaveObject.ts";
import { settleObjects } from "./settleObjects.ts";

/** The service, or all of an environment, that comes and leaves. */
export interface Claimant {
  place: Pick<EnvironmentRecord, "environmentId" | "envKey" | "projectKey" | "production" | "clusterId" | "namespace">;
  /** Absent: whatever services of the environment have the objects. */
  serviceName?: string | undefined;
  /** Definitions go although objects of others are of their kind. */
  deleteCrds: boolean;
}

/** Who has the cluster-scoped objects of a cluster, as the table records it. */
export function clusterScopedOwnersOf(
  place: Claimant["place"],
  serviceName?: string,
  deleteCrds = false,
): ClusterScopedOwners {
  const claimant: Claimant = { place, serviceName, deleteCrds };
  return {
    settle: (client, objects, live, options) => settleObjects(claimant, client, objects, live, options),
    leave: (client, ref, options) => leaveObject(claimant, client, ref, options),
  };
}
