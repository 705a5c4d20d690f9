import { ApiError } from "../../base/errors/apiError.ts";
import { environmentLabel, ownerLabel } from "../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { MeshService } from "../../kube/mesh/familyObjects.ts";
import { findIngressService, type IngressService, listeningOn } from "../../kube/mesh/gatewayPorts.ts";
import { meshKindsOf } from "../../kube/mesh/meshKinds.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { overtaken, startStepChange } from "../change/startStepChange.ts";
import { EnvironmentBusy, EnvironmentProblem, failingWith } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { maxPortals, type PortalServer, portalClash } from "../rules/portal.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { refuseInState } from "./changeShare.ts";
import { enablingPath } from "./enablingPath.ts";
import { isRouting } from "./isRouting.ts";
import { noMesh } from "./syncRoutes.ts";

export interface ServicePortal {
  /** Where the mesh's ingress gateway answers; empty while its Service has no address. */
  gatewayAddress: string;
  servers: readonly PortalServer[];
}

/**
 * At which hosts a Service of a base or sub-environment can be called from outside of the mesh (contract P 9.5).
 * @throws ApiError 404 unknown environment or Service; 6079 for an environment without routing and for a cluster that
 * cannot be read
 */
export async function readPortal(name: EnvironmentName, service: string): Promise<ServicePortal> {
  const { environment } = await requireEnvironment(name, { consistent: false });
  return failingWith(6079, async () => {
    refuseUnrouted(environment);
    const { client } = await openCluster(environment.clusterId);
    const [gateway] = await Promise.all([
      findIngressService(client, limits()),
      requireService(client, environment, service),
    ]);
    return { gatewayAddress: addressOf(gateway), servers: environment.portals?.[service] ?? [] };
  });
}

/**
 * Sets the hosts of a Service, none to close its portal: accepted here, done by the state machine.
 * @throws ApiError 404 unknown environment or Service; 6079 in a wrong state, for an environment without routing, for a
 * cluster without Istio or without its ingress gateway, and for a host or port that is taken
 */
export async function setPortal(
  name: EnvironmentName,
  service: string,
  servers: readonly PortalServer[],
  actor: Actor,
): Promise<void> {
  const { environment } = await requireEnvironment(name);
  await failingWith(6079, async () => {
    refuseUnrouted(environment);
    refuseInState(environment);
    const { [service]: _, ...others } = environment.portals ?? {};
    if (servers.length > 0) {
      if (Object.keys(others).length >= maxPortals)
        throw new EnvironmentProblem(
          `environment ${environment.envKey} has ${maxPortals} services with a portal, which is the limit`,
        );
      const { client } = await openCluster(environment.clusterId);
      await requireService(client, environment, service);
      await refuseTaken(client, { environment, service, servers });
    }
    const portals = servers.length === 0 ? others : { ...others, [service]: servers };
    if (!(await startStepChange("portal", environment, actor.name, { noted: { portals } })))
      throw new EnvironmentBusy(overtaken);
  });
}

const limits = () => ({ signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds });

function refuseUnrouted(environment: EnvironmentRecord): void {
  if (isRouting(environment) || environment.baseEnv !== undefined) return;
  throw new EnvironmentProblem(
    `environment ${environment.envKey} is neither a base nor a sub-environment; ${enablingPath(environment)} makes it a base`,
  );
}

/** Copies of the base's Services in a sub-environment can be called too. */
async function requireService(
  client: ClusterClient,
  { envKey, environmentId, namespace }: EnvironmentRecord,
  service: string,
): Promise<void> {
  const { items } = await client.list({ apiVersion: "v1", kind: "Service" }, { namespace, ...limits() });
  const names = items
    .filter(({ metadata: { labels = {} } }) => [labels[environmentLabel], labels[ownerLabel]].includes(environmentId))
    .filter(({ spec }: MeshService) => spec?.type !== "ExternalName")
    .map(({ metadata }) => metadata.name);
  if (names.includes(service)) return;
  const list = names.length === 0 ? "none" : names.sort().join(", ");
  throw new ApiError(404, `environment ${envKey} has no Service ${service}; it has ${list}`);
}

async function refuseTaken(
  client: ClusterClient,
  {
    environment,
    service,
    servers,
  }: { environment: EnvironmentRecord; service: string; servers: readonly PortalServer[] },
): Promise<void> {
  const kinds = await meshKindsOf(client, limits());
  if (kinds === undefined) throw new EnvironmentProblem(noMesh);
  const [gateway, listening] = await Promise.all([
    findIngressService(client, limits()),
    listeningOn(client, kinds, limits()),
  ]);
  if (gateway === undefined)
    throw new EnvironmentProblem(
      "the cluster has no ingress gateway: no Service in namespace istio-system has the label istio: ingressgateway; install Istio's ingress gateway, then try again",
    );
  const own = `${environment.namespace}/slipway-gateway-${service}`;
  const nameOf = ({ metadata }: LiveObject) => `${metadata.namespace}/${metadata.name}`;
  for (const server of servers)
    for (const other of listening) {
      const clash = nameOf(other.gateway) === own ? undefined : portalClash(server, [other]);
      if (clash !== undefined) throw new EnvironmentProblem(`${clash}; see Gateway ${nameOf(other.gateway)}`);
    }
}

function addressOf(gateway: IngressService | undefined): string {
  const [given] = gateway?.status?.loadBalancer?.ingress ?? [];
  return given?.ip ?? given?.hostname ?? gateway?.spec?.externalIPs?.[0] ?? "";
}
