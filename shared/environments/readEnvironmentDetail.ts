import type { LiveObject } from "../clients/kubernetes/ClusterClient.ts";
import { openCluster } from "../clusters/openCluster.ts";
import { reportClusterStatus } from "../clusters/reportClusterStatus.ts";
import { findNamespace } from "../deploy/ensureNamespace.ts";
import {
  type EnvironmentDetailStatus,
  environmentDetailStatus,
  manifestReadiness,
} from "../deploy/environmentDetailStatus.ts";
import { byService, readEnvironment } from "../deploy/readEnvironment.ts";
import { publicServiceStatus, serviceStatus } from "../deploy/serviceStatus.ts";
import { statusKinds } from "../deploy/workloadKinds.ts";
import type { EnvironmentRecord, EnvironmentService, WholeEnvironment } from "../store/environments.ts";
import { reasonOf } from "./failures.ts";
import { type EnvironmentName, requireEnvironment } from "./requireEnvironment.ts";

export interface EnvironmentDetail {
  environment: EnvironmentRecord;
  status: EnvironmentDetailStatus;
  services: { service: EnvironmentService; status: ReturnType<typeof publicServiceStatus> }[];
}

/** A cluster that answers slower than this is shown as unknown, in seconds. */
const readSeconds = 10;

/**
 * An environment with the status of its services as the cluster has it now (contract P 4.2, 14.2, 15): one LIST a kind
 * for all services together. A cluster that cannot be read, or does not have the namespace, gives `unknown`, never an
 * error.
 */
export async function readEnvironmentDetail(name: EnvironmentName): Promise<EnvironmentDetail> {
  const whole = await requireEnvironment(name, { consistent: false });
  const live = await readLiveObjects(whole);
  const byName = byService(live ?? []);
  const { environment } = whole;
  const services = whole.services.map((service) => ({
    service,
    status: publicServiceStatus(
      serviceStatus({
        manifest: service.workloads,
        live: byName.get(service.name) ?? [],
        applyFailed: service.error !== "",
        defined: service.definitionGone !== true,
        cluster: live === undefined ? "failed" : "read",
        environmentCreating: environment.status === "creating",
      }),
    ),
  }));
  const readiness =
    live &&
    manifestReadiness(
      whole.services.flatMap(({ workloads }) => workloads),
      live,
    );
  return { environment, status: environmentDetailStatus(environment.status, readiness), services };
}

async function readLiveObjects({ environment, services }: WholeEnvironment): Promise<LiveObject[] | undefined> {
  const { environmentId, namespace, clusterId } = environment;
  try {
    const { client, record } = await openCluster(clusterId);
    const live = await readEnvironment(client, {
      environmentId,
      namespace,
      kinds: statusKinds(services.flatMap(({ workloads }) => workloads)),
      deadlineSeconds: readSeconds,
    });
    await reportClusterStatus(record, "normal");
    const expected = services.some(({ workloads }) => workloads.length > 0);
    // Without its namespace nothing can be said: the cluster was replaced, or somebody deleted it all.
    if (expected && live.length === 0 && (await findNamespace(client, namespace)) === undefined) return undefined;
    return live;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    await reportClusterStatus(clusterId, "abnormal", reason);
    return undefined;
  }
}
