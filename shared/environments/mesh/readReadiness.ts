import { findNamespace } from "../../kube/apply/ensureNamespace.ts";
import { environmentLabel } from "../../kube/apply/marks.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { workloadReady } from "../../kube/live/workloadReady.ts";
import { type MeshService, routedServices } from "../../kube/mesh/familyObjects.ts";
import { injects } from "../../kube/mesh/injection.ts";
import { meshKindsOf } from "../../kube/mesh/meshKinds.ts";
import { ownedObjects } from "../../kube/mesh/ownedObjects.ts";
import { hasProxy, podsInMesh } from "../../kube/mesh/proxies.ts";
import { unselectedWorkloads } from "../../kube/mesh/unselectedWorkloads.ts";
import { failingWith } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";

/** What the cluster shows of an environment that becomes a base, or ceases to be one (contract P 9.3). */
export interface ShareReadiness {
  isReady: boolean;
  namespaceHasLabel: boolean;
  routesStand: boolean;
  podsHaveProxy: boolean;
  workloadsReady: boolean;
  workloadsHaveService: boolean;
}

/**
 * Whether enabling, or disabling, has come to its end. Where the namespace names a revision of the mesh, label and proxies
 * are there before and after, and disabling waits for neither.
 * @throws ApiError 404 unknown environment; 6076 for a cluster that cannot be read
 */
export async function readShareReadiness(name: EnvironmentName, op: "enable" | "disable"): Promise<ShareReadiness> {
  const { environment } = await requireEnvironment(name, { consistent: false });
  return failingWith(6076, async () => {
    const { client } = await openCluster(environment.clusterId);
    const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
    const { namespace, environmentId } = environment;
    const ours = { namespace, labelSelector: `${environmentLabel}=${environmentId}`, ...call };
    const [found, kinds, services, pods, unselected] = await Promise.all([
      findNamespace(client, namespace, call),
      meshKindsOf(client, call),
      client.list({ apiVersion: "v1", kind: "Service" }, ours),
      podsInMesh(client, environment, call),
      unselectedWorkloads(client, environment, call),
    ]);
    const owned = kinds === undefined ? [] : await ownedObjects(client, kinds, environment, call);
    const routed = new Set(owned.filter(({ kind }) => kind === "VirtualService").map(({ metadata }) => metadata.name));
    const wanted = routedServices({ base: { services: services.items as MeshService[] } });
    const hasRoute = ({ metadata }: MeshService) => routed.has(`slipway-${metadata.name}`);
    const proxies = [...pods.values()].flat().map(hasProxy);
    const enabling = op === "enable";
    const injection = injects(found);
    const checks = {
      namespaceHasLabel: injection !== "no",
      routesStand: enabling ? wanted.every(hasRoute) : wanted.some(hasRoute),
      podsHaveProxy: enabling ? proxies.every(Boolean) : proxies.some(Boolean),
      workloadsReady: [...pods.keys()].every((workload) => workloadReady(workload).state === "ready"),
      workloadsHaveService: unselected.length === 0,
    };
    const done = enabling
      ? checks.namespaceHasLabel && checks.routesStand && checks.podsHaveProxy
      : !checks.routesStand && (injection === "revision" || !(checks.namespaceHasLabel || checks.podsHaveProxy));
    return { isReady: checks.workloadsReady && done, ...checks };
  });
}
