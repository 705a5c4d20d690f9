import type * as z from "zod";
import { notFound } from "../../../shared/base/errors/apiError.ts";
import { withCallBudget } from "../../../shared/base/outbound/callBudget.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { silentSeconds } from "../../../shared/environments/limits.ts";
import { definitionGoneSentence } from "../../../shared/environments/plan/definitionGoneSentence.ts";
import { type EnvironmentName, environmentMissing } from "../../../shared/environments/requireEnvironment.ts";
import {
  type EnvironmentRecord,
  type EnvironmentService,
  findServiceInEnvironment,
} from "../../../shared/environments/store/environments.ts";
import type { LiveObject } from "../../../shared/kube/client/ClusterClient.ts";
import { refOf } from "../../../shared/kube/client/objectRef.ts";
import { describeClusterError, openCluster } from "../../../shared/kube/clusters/openCluster.ts";
import { instanceDetail as mapInstance } from "../../../shared/kube/live/instanceDetail.ts";
import { readEnvironment } from "../../../shared/kube/live/readEnvironment.ts";
import { statusKinds } from "../../../shared/kube/live/workloadKinds.ts";
import { objectKey } from "../../../shared/kube/objectKey.ts";
import { findProblems } from "../../../shared/kube/problems/findProblems.ts";
import type { InstanceProblem } from "../../../shared/kube/problems/instanceProblem.ts";
import { absentSentence } from "../../../shared/kube/problems/liveReason.ts";
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

/** What the last change of a service left undone: refused objects, or why it was not applied at all. */
function changeProblems(envKey: string, service: EnvironmentService): InstanceProblem[] {
  const { name, error, refused = [], definitionGone, updatedAt: since } = service;
  const whole = { kind: "Environment", name: envKey, since };
  if (refused.length > 0) return refused.map((one) => ({ ...one, reason: "Refused", since }));
  if (error !== "") return [{ ...whole, reason: "NotApplied", message: error }];
  return definitionGone === true
    ? [{ ...whole, reason: "DefinitionDeleted", message: definitionGoneSentence(name) }]
    : [];
}

/** What was applied and no longer exists; since when is unknown, so the time of the last change is reported. */
function absentProblems(service: EnvironmentService, live: readonly LiveObject[]): InstanceProblem[] {
  const standing = new Set(live.map((object) => objectKey(refOf(object))));
  const refused = new Set(service.refused?.map(({ kind, name }) => `${kind}/${name}`));
  const absent = service.workloads.filter(
    (ref) => !standing.has(objectKey(ref)) && !refused.has(`${ref.kind}/${ref.name}`),
  );
  return absent.map(({ kind, name, expires = false }) => ({
    kind,
    name,
    reason: expires ? "Expired" : "Missing",
    message: expires
      ? `Job "${name}" was removed from the cluster some time after its end, as its ttlSecondsAfterFinished asks`
      : absentSentence({ kind, name }),
    since: service.updatedAt,
  }));
}
