import { requireUpdatable } from "../../../environments/change/requireUpdatable.ts";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import { requireService } from "../../../environments/plan/standingService.ts";
import {
  type EnvironmentRecord,
  type EnvironmentService,
  findEnvironment,
  findEnvironmentService,
} from "../../../environments/store/environments.ts";
import type { WorkloadPlace } from "../../../environments/store/rollouts.ts";
import { rolloutLabel } from "../../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../../kube/client/ClusterClient.ts";
import { findObject } from "../../../kube/client/findObject.ts";
import { openCluster } from "../../../kube/clusters/openCluster.ts";
import { kindKey } from "../../../kube/objectKey.ts";
import { readClusterFacts } from "../../../kube/readClusterFacts.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { at } from "../../../manifest/workloads.ts";
import { serviceOf } from "../custom-deploy/target.ts";
import { ownerOf } from "../ownerOf.ts";
import { type OwnNamespace, ownNamespace } from "../ownNamespace.ts";
import type { JobRun } from "../runner.ts";
import { type BlueGreenRun, type CanaryRun, type NamedPlace, rolloutRunOf } from "./rolloutRun.ts";

/** The workload that is rolled out, and whose it is. */
export interface RolloutPlace {
  environment: EnvironmentRecord;
  /** The environment's service that applied it; empty where none did. */
  service: string;
  place: WorkloadPlace;
  client: ClusterClient;
}

/**
 * @throws EnvironmentProblem, and ApiError 404, where not exactly one Deployment is meant, it is a chart's, or another
 * project's
 */
export function findPlace(run: JobRun): Promise<RolloutPlace> {
  return placeToRoll(run.task.owner.projectKey, rolloutRunOf(run));
}

/** @throws as `findPlace` */
export function placeToRoll(projectKey: string, wanted: BlueGreenRun | CanaryRun | NamedPlace): Promise<RolloutPlace> {
  if (wanted.mode === "canary") return behindService(projectKey, wanted);
  return wanted.mode === undefined ? ofService(projectKey, wanted) : byName(projectKey, wanted);
}

async function ofService(projectKey: string, { env, production, service: name }: BlueGreenRun): Promise<RolloutPlace> {
  const { environment, service } = await requireService({ projectKey, envKey: env, production }, name, {
    consistent: true,
  });
  requireManifests(service);
  const deployments = service.workloads.filter((workload) => kindKey(workload) === "Deployment.apps");
  const [deployment] = deployments;
  if (deployment === undefined || deployments.length > 1)
    throw new EnvironmentProblem(
      `service ${name} has ${deployments.length} Deployments in environment ${environment.envKey}; a rollout needs exactly one`,
    );
  const { clusterId, namespace } = environment;
  const { client } = await openCluster(clusterId);
  return {
    ...{ environment, service: name, client },
    place: { clusterId, namespace, kind: "Deployment", name: deployment.name },
  };
}

async function behindService(
  projectKey: string,
  { clusterId, namespace, kubeService }: CanaryRun,
): Promise<RolloutPlace> {
  const own = await ownNamespace(projectKey, clusterId, namespace);
  const { client } = await openCluster(own.clusterId);
  const leading = await findObject(client, serviceRef(namespace, kubeService));
  if (leading === undefined)
    throw new EnvironmentProblem(`Service "${kubeService}" does not exist in namespace ${namespace}`);
  const live = await deploymentBehind(client, leading);
  return placeOf(projectKey, own, client, { ...live, apiVersion: "apps/v1", kind: "Deployment" });
}

/** @throws EnvironmentProblem unless a Service leads to the pods of exactly one Deployment */
export async function deploymentBehind(
  client: ClusterClient,
  { metadata, ...service }: LiveObject,
): Promise<LiveObject> {
  const { namespace = "", name } = metadata;
  const { items } = await client.list({ apiVersion: "apps/v1", kind: "Deployment" }, { namespace });
  const behind = items.filter(
    (one) =>
      one.metadata.labels?.[rolloutLabel] === undefined &&
      selects({ metadata, ...service }, textsAt(one, ["spec", "template", "metadata", "labels"])),
  );
  const [live] = behind;
  if (live !== undefined && behind.length === 1) return live;
  const names = behind.map((one) => one.metadata.name).join(", ");
  throw new EnvironmentProblem(
    `Service "${name}" leads to the pods of ${behind.length === 0 ? "no Deployment" : `${behind.length} Deployments (${names})`}; a rollout needs exactly one`,
  );
}

async function byName(projectKey: string, { clusterId, namespace, workload }: NamedPlace): Promise<RolloutPlace> {
  const own = await ownNamespace(projectKey, clusterId, namespace);
  const { client } = await openCluster(own.clusterId);
  const live = await findObject(client, deploymentRef({ namespace, name: workload }));
  if (live === undefined)
    throw new EnvironmentProblem(`Deployment "${workload}" does not exist in namespace ${namespace}`);
  if (live.metadata.labels?.[rolloutLabel] !== undefined)
    throw new EnvironmentProblem(`Deployment "${workload}" stands beside the one that is rolled out; name that one`);
  return placeOf(projectKey, own, client, live);
}

/** Whose a workload of a namespace is. */
async function placeOf(
  projectKey: string,
  own: OwnNamespace,
  client: ClusterClient,
  live: LiveObject,
): Promise<RolloutPlace> {
  const owner = await ownerOf(live, own);
  const envKey = (owner ?? own.environments[0])?.envKey ?? "";
  const environment = await findEnvironment(projectKey, envKey, { consistent: true });
  if (environment === undefined)
    throw new EnvironmentProblem(`environment ${envKey} was deleted at this moment; create it and run the job again`);
  const service = owner === undefined ? "" : serviceOf(live);
  const stored = service === "" ? undefined : await findEnvironmentService(projectKey, envKey, service);
  if (stored !== undefined) requireManifests(stored);
  return {
    ...{ environment, service, client },
    place: { clusterId: own.clusterId, namespace: own.namespace, kind: "Deployment", name: live.metadata.name },
  };
}

function requireManifests({ name, release }: EnvironmentService): void {
  if (release !== undefined)
    throw new EnvironmentProblem(`service ${name} is a chart; rollouts work with services of manifests`);
}

/** The live workload and the one Service that leads to its pods. */
export interface RolloutTarget {
  live: LiveObject;
  service: LiveObject;
  selector: Record<string, string>;
}

/**
 * @param steps the rollout counts on how many pods the workload has; gray ones may have taken all once they are `underWay`
 * @throws EnvironmentProblem when the workload cannot be rolled out as it is (decisions 12.3)
 */
export async function readTarget(
  { environment, place, client }: Pick<RolloutPlace, "environment" | "place" | "client">,
  steps?: { underWay: boolean },
): Promise<RolloutTarget> {
  requireUpdatable(environment);
  const live = await client.get(deploymentRef(place));
  const what = `${place.kind} "${place.name}"`;
  if (live.metadata.deletionTimestamp !== undefined) throw new EnvironmentProblem(`${what} is being deleted`);
  if (at(live, ["spec", "paused"]) === true)
    throw new EnvironmentProblem(`${what} is paused; resume it before it is rolled out`);
  if (replicasOf(live) === 0 && steps?.underWay !== true)
    throw new EnvironmentProblem(`${what} is scaled to 0; scale it up before it is rolled out`);
  if (steps !== undefined && (await isAutoscaled(client, live)))
    throw new EnvironmentProblem(
      `a HorizontalPodAutoscaler decides the replicas of ${what}; a release in steps needs to decide them itself`,
    );
  const labels = textsAt(live, ["spec", "template", "metadata", "labels"]);
  const { items } = await client.list({ apiVersion: "v1", kind: "Service" }, { namespace: place.namespace });
  const leading = items.filter((one) => one.metadata.labels?.[rolloutLabel] === undefined && selects(one, labels));
  const [service] = leading;
  if (service === undefined || leading.length > 1) {
    const names = leading.map(({ metadata }) => metadata.name).join(", ");
    throw new EnvironmentProblem(
      `${leading.length === 0 ? "no Service leads" : `${leading.length} Services lead (${names})`} to the pods of ${what}; a rollout needs exactly one`,
    );
  }
  return { live, service, selector: textsAt(service, ["spec", "selector"]) };
}

/** Whether an autoscaler decides how many pods the workload has. */
export async function isAutoscaled(client: ClusterClient, live: LiveObject): Promise<boolean> {
  const facts = await readClusterFacts(client, [live], live.metadata.namespace ?? "");
  return facts.autoscaled(live);
}

/** How many pods the workload asks for. */
export function replicasOf(live: LiveObject): number {
  return Number(at(live, ["spec", "replicas"]) ?? 1);
}

export function deploymentRef({ namespace, name }: Pick<WorkloadPlace, "namespace" | "name">) {
  return { apiVersion: "apps/v1", kind: "Deployment", name, namespace };
}

export function serviceRef(namespace: string, name: string) {
  return { apiVersion: "v1", kind: "Service", name, namespace };
}

function selects(service: LiveObject, labels: Readonly<Record<string, string>>): boolean {
  const selector = Object.entries(textsAt(service, ["spec", "selector"]));
  return selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
}

/** A map of texts in an object; empty where there is none. */
export function textsAt(object: LiveObject, path: readonly string[]): Record<string, string> {
  const value = at(object, [...path]);
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Whether a Service leads where the selector says. */
export function leadsTo(service: LiveObject, selector: Readonly<Record<string, string>>): boolean {
  const now = textsAt(service, ["spec", "selector"]);
  return Object.entries(selector).every(([key, value]) => now[key] === value);
}
