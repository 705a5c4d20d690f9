import type { ClusterRequests } from "../../harness/clusterRequests.ts";

/** The deploys of one sequence, in this order: nothing stands; every object differs; one in ten differs; none does. */
export const kinds = ["first", "changed", "tenth", "unchanged"] as const;
export type Kind = (typeof kinds)[number];

/** What one deploy cost. */
export interface Deployed {
  /** From the call until the last object was applied. */
  milliseconds: number;
  /** Absent for programs whose requests cannot be seen. */
  requests?: ClusterRequests["verbs"];
}

/** One who brings a manifest into a namespace: a new `sequence` begins in a namespace of its own. */
export interface Deployer {
  name: string;
  begin(namespace: string): Promise<Sequence>;
}

export interface Sequence {
  /** @throws when not exactly the objects that `kind` says were created or changed */
  deploy(kind: Kind, manifest: string): Promise<Deployed>;
}
