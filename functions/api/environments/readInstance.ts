import type * as z from "zod";
import { openCluster } from "../../../shared/clusters/openCluster.ts";
import { instanceDetail as mapInstance } from "../../../shared/deploy/instanceDetail.ts";
import { findProblems } from "../../../shared/deploy/problems/findProblems.ts";
import { readEnvironment } from "../../../shared/deploy/readEnvironment.ts";
import { statusKinds } from "../../../shared/deploy/workloadKinds.ts";
import { notFound } from "../../../shared/domain/errors/apiError.ts";
import { failingWith } from "../../../shared/environments/failures.ts";
import { type EnvironmentName, environmentMissing } from "../../../shared/environments/requireEnvironment.ts";
import { findServiceInEnvironment } from "../../../shared/store/environments.ts";
import { absentProblems, changeProblems } from "./changeProblems.ts";
import type { instanceDetail } from "./schemas.ts";

/** Read beside the workloads: what leads to them. */
const exposingKinds = [
  { apiVersion: "v1", kind: "Service" },
  { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
];

const readSeconds = 10;

/**
 * The workloads of a service as they are in the cluster now (contract P 5.1).
 * @throws ApiError 404 for an environment or a service that is not there; 6083 when the cluster cannot be read
 */
export async function readInstance(
  name: EnvironmentName,
  serviceName: string,
): Promise<z.input<typeof instanceDetail>> {
  const { environment, service } = await findServiceInEnvironment(name.projectKey, name.envKey, serviceName);
  if (environment?.production !== name.production) throw environmentMissing(name);
  const { environmentId, namespace, envKey, projectKey, clusterId } = environment;
  if (service === undefined) throw notFound(`service ${serviceName} in environment ${envKey}`);
  const { objects, problems } = await failingWith(6083, async () => {
    const kinds = [...statusKinds(service.workloads), ...exposingKinds];
    const { client } = await openCluster(clusterId);
    const call = { deadlineSeconds: readSeconds, signal: AbortSignal.timeout(readSeconds * 1000) };
    const objects = await readEnvironment(client, { environmentId, namespace, serviceName, kinds, ...call });
    const live = await findProblems(client, namespace, objects, call);
    return { objects, problems: [...changeProblems(envKey, service), ...absentProblems(service, objects), ...live] };
  });
  return {
    service_name: serviceName,
    namespace,
    env_name: envKey,
    product_name: projectKey,
    group_name: serviceName,
    ...mapInstance(objects, Date.now()),
    problems,
  };
}
