import { readFileSync } from "node:fs";
import { connect } from "../../shared/kube/client/connect.ts";

const renewMilliseconds = 4000;

/**
 * Renews the leases of nodes that only play their pods: nothing else tells the node controller that they live, and one
 * that it takes for dead has all its pods marked unready, for good. Nodes with a kubelet renew their own.
 */
export default async function keepNodesAlive(): Promise<(() => Promise<void>) | undefined> {
  const path = process.env.KUBECONFIG;
  if (path === undefined || path === "") return undefined;
  const client = connect({ kind: "kubeconfig", text: readFileSync(path, "utf8"), trusted: true });
  const { items } = await client.list({ apiVersion: "v1", kind: "Node" });
  const played = items.filter(({ metadata }) => metadata.annotations?.["kwok.x-k8s.io/node"] !== undefined);
  const renew = async (): Promise<void> => {
    const renewTime = new Date().toISOString().replace("Z", "000Z");
    for (const { metadata } of played) {
      const spec = { holderIdentity: metadata.name, leaseDurationSeconds: 40, renewTime };
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", spec };
      await client.apply(
        { ...lease, metadata: { name: metadata.name, namespace: "kube-node-lease" } },
        { force: true },
      );
    }
  };
  await renew();
  const timer = setInterval(() => void renew().catch(() => {}), renewMilliseconds);
  return async () => {
    clearInterval(timer);
    client.close();
  };
}
