import type * as z from "zod";
import { describeClusterError, openCluster } from "../../../shared/clusters/openCluster.ts";
import { silentSeconds } from "../../../shared/environments/limits.ts";
import { type EnvironmentName, environmentMissing } from "../../../shared/environments/requireEnvironment.ts";
import {
  type EnvironmentRecord,
  type EnvironmentService,
  findServiceInEnvironment,
} from "../../../shared/environments/store/environments.ts";
import { notFound } from "../../../shared/errors/apiError.ts";
import type { LiveObject } from "../../../shared/kube/client/ClusterClient.ts";
import { instanceDetail as mapInstance } from "../../../shared/kube/instanceDetail.ts";
import { findProblems } from "../../../shared/kube/problems/findProblems.ts";
import type { InstanceProblem } from "../../../shared/kube/problems/instanceProblem.ts";
import { readEnvironment } from "../../../shared/kube/readEnvironment.ts";
import { statusKinds } from "../../../shared/kube/workloadKinds.ts";
import { withCallBudget } from "../../../shared/outbound/callBudget.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";
import { absentProblems, changeProblems } from "./changeProblems.ts";
import { type BesideObjects, readBeside, rolloutFields } from "./readBeside.ts";
import type { instanceDetail } from "./schemas.ts";
import { toTestRun } from "./wire.ts";

/** Read beside the workloads: what leads to them. */
const exposingKinds = [
  { apiVersion: "v1", kind: "Service" },
  { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
];

/**
 * The workloads of a service as they are in the cluster now (contract P 5.1). Of a cluster that cannot be read, or not to
 * the end, the problems tell that.
 * @throws ApiError 404 for an environment or a service that is not there
 */
export async function readInstance(
  name: EnvironmentName,
  serviceName: string,
): Promise<z.input<typeof instanceDetail>> {
  const { environment, service } = await findServiceInEnvironment(name.projectKey, name.envKey, serviceName);
  if (environment?.production !== name.production) throw environmentMissing(name);
  const { namespace, envKey, projectKey } = environment;
  if (service === undefined) throw notFound(`service ${serviceName} in environment ${envKey}`);
  const { objects, beside, problems } = await readService(environment, service);
  const now = Date.now();
  const live = mapInstance(objects, now);
  return {
    service_name: serviceName,
    namespace,
    env_name: envKey,
    product_name: projectKey,
    group_name: serviceName,
    ...live,
    scales: [...live.scales, ...mapInstance(beside.objects, now).scales].map((scale) => ({
      ...scale,
      ...rolloutFields(scale, beside.standing),
    })),
    problems,
    ...(service.test && { test: toTestRun(service.test) }),
  };
}

interface Reading {
  objects: LiveObject[];
  beside: BesideObjects;
  problems: InstanceProblem[];
}

async function readService(environment: EnvironmentRecord, service: EnvironmentService): Promise<Reading> {
  const { environmentId, namespace, envKey, clusterId } = environment;
  const known = changeProblems(envKey, service);
  let objects: LiveObject[] = [];
  let beside: BesideObjects = { standing: [], objects: [] };
  try {
    const kinds = [...statusKinds(service.workloads), ...exposingKinds];
    const { client } = await openCluster(clusterId);
    const query = { environmentId, namespace, serviceName: service.name, kinds };
    return await withCallBudget(silentSeconds, async () => {
      [objects, beside] = await Promise.all([readEnvironment(client, query), readBeside(client, namespace, service)]);
      const live = await findProblems(client, namespace, objects);
      return { objects, beside, problems: [...known, ...absentProblems(service, objects), ...live] };
    });
  } catch (error) {
    const message = describeClusterError(error);
    if (message === undefined) throw error;
    const unread = { kind: "Cluster", name: clusterId, reason: "Unreadable", message, since: nowSeconds() };
    return { objects, beside, problems: [...known, unread] };
  }
}
