import type { CallOptions, ClusterClient } from "../../kube/client/ClusterClient.ts";
import { findNamespace } from "../../kube/ensureNamespace.ts";
import { injects } from "../../kube/mesh/injection.ts";
import { meshKindsOf } from "../../kube/mesh/meshKinds.ts";
import { EnvironmentProblem } from "../failures.ts";
import { noMesh } from "./syncRoutes.ts";

/**
 * Whether a sub-environment would have a mesh in its namespace. A namespace that exists already is not labelled for it
 * (contract P 4.3, decisions 5.5), so its pods must get the proxy without that.
 * @throws EnvironmentProblem; ClusterError
 */
export async function checkMesh(client: ClusterClient, name: string, call: CallOptions): Promise<void> {
  if ((await meshKindsOf(client, call)) === undefined) throw new EnvironmentProblem(noMesh);
  const namespace = await findNamespace(client, name, call);
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
  if (injects(namespace) === "no")
    throw new EnvironmentProblem(
      `namespace ${name} exists and its pods do not get Istio's proxy; label it istio-injection=enabled, or choose a new one`,
    );
}
