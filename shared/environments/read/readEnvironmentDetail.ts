import { withCallBudget } from "../../base/outbound/callBudget.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item, TransactionContended } from "../../base/store/tableClient.ts";
import { findNamespace } from "../../kube/apply/ensureNamespace.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { reportClusterStatus } from "../../kube/clusters/reportClusterStatus.ts";
import { byService, readEnvironment } from "../../kube/live/readEnvironment.ts";
import { publicServiceStatus, serviceStatus } from "../../kube/live/serviceStatus.ts";
import { statusKinds } from "../../kube/live/workloadKinds.ts";
import { namespaceSentence } from "../../kube/namespaceSentence.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { heldBy, liveReason } from "../../kube/problems/liveReason.ts";
import { defaultBoundary } from "../../projects/rules/boundary.ts";
import { findBoundary } from "../../projects/store/boundaries.ts";
import { reasonOf } from "../failures.ts";
import { silentSeconds } from "../limits.ts";
import { lapsedConsent } from "../plan/boundsOf.ts";
import { definitionGoneSentence } from "../plan/definitionGoneSentence.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import {
  changeEnvironment,
  type EnvironmentRecord,
  type EnvironmentService,
  type WholeEnvironment,
} from "../store/environments.ts";
import { type EnvironmentDetailStatus, environmentDetailStatus, manifestReadiness } from "./environmentDetailStatus.ts";

export interface ServiceDetail {
  service: EnvironmentService;
  status: ReturnType<typeof publicServiceStatus>;
  /** Why it is not as it should be; empty otherwise. */
  error: string;
}

export interface EnvironmentDetail {
  environment: EnvironmentRecord;
  status: EnvironmentDetailStatus;
  /** Why it is not as it should be; empty otherwise. */
  error: string;
  services: ServiceDetail[];
}

/** What the cluster has of an environment, or why that cannot be said. */
type Reading = { live: LiveObject[]; problem?: undefined } | { live?: undefined; problem: string };

/**
 * An environment with the status of its services in the cluster now (contract P 4.2, 14.2, 15): one LIST per kind
 * for all services together. A cluster that cannot be read, or does not have the namespace, gives `unknown` with the
 * reason, never an error. What failed only because it was not ready, and is ready now, no longer counts as failed.
 */
export async function readEnvironmentDetail(name: EnvironmentName): Promise<EnvironmentDetail> {
  const whole = await requireEnvironment(name, { consistent: false });
  const { environment } = whole;
  const [reading, lapsed] = await Promise.all([readLiveObjects(whole), whyLapsed(environment)]);
  const found = byService(reading.live ?? []);
  const services = whole.services.map((service) => {
    return serviceDetail(environment, service, reading.live && (found.get(service.name) ?? []));
  });
  const failed = services.filter(({ status, service }) => status === "failed" && service.definitionGone !== true);
  const healed = environment.status === "failed" && reading.live !== undefined && failed.length === 0;
  if (healed && isCurable(whole)) {
    await healEnvironment(environment);
    return withReason(detail({ ...environment, status: "success", error: "" }, services, reading), lapsed);
  }
  return withReason(detail(environment, services, reading), lapsed);
}

/** Why the boundary refuses changes of the environment, which runs on as it is. */
async function whyLapsed(environment: EnvironmentRecord): Promise<string | undefined> {
  if (environment.consent !== "boundary") return undefined;
  const { namespaces } = (await findBoundary(environment.projectKey, { consistent: false })) ?? defaultBoundary;
  return lapsedConsent(environment, namespaces);
}

function withReason(detail: EnvironmentDetail, reason: string | undefined): EnvironmentDetail {
  if (reason === undefined) return detail;
  return { ...detail, error: detail.error === "" ? reason : `${detail.error}; ${reason}` };
}

/** Only for want of readiness did its last change fail. */
function isCurable({ environment, services }: WholeEnvironment): boolean {
  const { asleep, unrouted } = environment;
  return asleep !== true && unrouted !== true && services.some(({ notReady }) => notReady !== undefined);
}

function detail(environment: EnvironmentRecord, services: ServiceDetail[], reading: Reading): EnvironmentDetail {
  const { live } = reading;
  const workloads = services.flatMap(({ service }) => service.workloads);
  const status = environmentDetailStatus(environment.status, live && manifestReadiness(workloads, live));
  return { environment, status, error: errorOf(status, environment, services, reading), services };
}

function errorOf(
  status: EnvironmentDetailStatus,
  environment: EnvironmentRecord,
  services: readonly ServiceDetail[],
  { live = [], problem = "" }: Reading,
): string {
  if (status === "deleting") return problem || heldObjects(live).join("; ") || environment.error;
  const reasons = services.flatMap(({ service, error }) => (error === "" ? [] : [`service ${service.name}: ${error}`]));
  const now = status === "error" || status === "unstable" ? reasons.join("; ") : "";
  return now || environment.error || (status === "unknown" ? problem : "");
}

/** What a deletion waits for. */
function heldObjects(live: readonly LiveObject[]): string[] {
  return live.flatMap((object) => {
    const held = object.metadata.deletionTimestamp === undefined ? "" : heldBy(object);
    return held === "" ? [] : [`${object.kind} "${object.metadata.name}" is being deleted${held}`];
  });
}

/** @param live what the cluster has of the service; undefined when it could not be read */
function serviceDetail(
  environment: EnvironmentRecord,
  service: EnvironmentService,
  live: readonly LiveObject[] | undefined,
): ServiceDetail {
  const { workloads, definitionGone = false } = service;
  const [reason] = live === undefined ? [] : reasonsOf(workloads, live);
  const ready = live !== undefined && manifestReadiness(workloads, live).every(({ state }) => state === "ready");
  const unready = environment.status === "failed" && !ready ? (service.notReady ?? "") : "";
  const status = serviceStatus({
    manifest: workloads,
    live: live ?? [],
    changeFailed: service.error !== "" || unready !== "",
    defined: !definitionGone,
    cluster: live === undefined ? "failed" : "read",
    environmentCreating: environment.status === "creating",
  });
  const gone = definitionGone ? definitionGoneSentence(service.name) : "";
  return { service, status: publicServiceStatus(status), error: service.error || (reason ?? unready) || gone };
}

function reasonsOf(workloads: EnvironmentService["workloads"], live: readonly LiveObject[]): string[] {
  const standing = new Map(live.map((object) => [objectKey(refOf(object)), object]));
  return workloads.flatMap((ref) => liveReason(ref, standing.get(objectKey(ref)), live) ?? []);
}

async function readLiveObjects(whole: WholeEnvironment): Promise<Reading> {
  const { environment, services } = whole;
  const { environmentId, namespace, clusterId } = environment;
  try {
    const { client, record } = await openCluster(clusterId);
    const kinds = statusKinds(services.flatMap(({ workloads }) => workloads));
    const named = services.flatMap(({ name, workloads }) => workloads.map((ref) => ({ service: name, ref })));
    const reading = await withCallBudget(silentSeconds, async () => {
      const live = await readEnvironment(client, { environmentId, namespace, kinds, named });
      const problem = await namespaceProblem(client, whole, live);
      return problem === undefined ? { live } : { problem };
    });
    await reportClusterStatus(record, "normal");
    return reading;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    await reportClusterStatus(clusterId, "abnormal", reason);
    return { problem: reason };
  }
}

/** Without its namespace nothing can be said: the cluster was replaced, or everything was deleted. */
async function namespaceProblem(
  client: ClusterClient,
  { environment, services }: WholeEnvironment,
  live: readonly LiveObject[],
): Promise<string | undefined> {
  const { namespace, status } = environment;
  const lacks = live.length === 0 && services.some(({ workloads }) => workloads.length > 0);
  if (!lacks && status !== "deleting") return undefined;
  const found = await findNamespace(client, namespace);
  // That it is gone is what a deletion wants.
  return status === "deleting" && found === undefined ? undefined : namespaceSentence(namespace, found);
}

/** An environment whose services became ready after its last change had failed is fine again, in lists too. */
async function healEnvironment(environment: Item<EnvironmentRecord>): Promise<void> {
  const { updatedAt, version } = environment;
  try {
    await table().write(
      changeEnvironment(environment, { status: "success", error: "", updatedAt }, mustHaveVersion(version)),
    );
  } catch (error) {
    // The change that was made meanwhile knows more.
    if (!(error instanceof ConditionFailed || error instanceof TransactionContended)) throw error;
  }
}
