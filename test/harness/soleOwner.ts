import type { ClusterScopedOwners } from "../../shared/kube/apply/clusterScopedOwners.ts";

/** Where no table is: every cluster-scoped object belongs to who applies it. */
export const soleOwner: ClusterScopedOwners = {
  settle: async (_client, objects) => objects.map((one) => ({ one })),
  leave: async (client, ref, { listed, dryRun = false }) => {
    if (listed === undefined) return { outcome: "absent" };
    return { outcome: await client.remove(ref, { uid: listed.metadata.uid, dryRun }) };
  },
};
