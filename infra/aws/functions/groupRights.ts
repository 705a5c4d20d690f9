import type { Right } from "./rights.ts";

/** Planning a change renders texts, asks the cluster, and starts the state machine and what looks after it. */
const planning = [
  "readObjects",
  "writeObjects",
  "seal",
  "unseal",
  "enterClusters",
  "registryToken",
  "startChange",
  "stopChange",
  "wakeReconciler",
] as const satisfies readonly Right[];

/** What an endpoint group may do beside reading and writing the table, by the group's name. */
export const groupRights: Readonly<Record<string, readonly Right[]>> = {
  identity: ["bootstrapSecret"],
  clusters: ["seal", "unseal", "enterClusters"],
  registries: ["seal", "unseal", "startRegistryRefresh", "wakeReconciler"],
  projects: planning,
  environments: [...planning, "startRegistryRefresh"],
  services: ["readObjects", "writeObjects"],
  templates: ["readObjects", "writeObjects", "wakeReconciler"],
};
