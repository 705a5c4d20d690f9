import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { type Condition, mustBeOneOf, mustExist, mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { dues, keys, lists, padded, references } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { check, create, named, overwrite, remove, update, type Write } from "../../base/store/writes.ts";
import type { ObjectRef } from "../../kube/client/ClusterClient.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import type { EnvironmentGlobal, EnvironmentVariable } from "../../manifest/variables/environmentVariables.ts";
import { environmentLeaves } from "../../projects/store/projects.ts";
import type { Routed } from "../rules/routed.ts";
import type { EnvironmentStatus } from "../rules/status.ts";
import type { PlannedRelease } from "./changes.ts";
import { removeImagesOf } from "./imageUses.ts";
import type { RolledBack } from "./rollbacks.ts";
import type { TestRun } from "./testRuns.ts";

/** What a list shows of an environment (contract P 4.1). */
export interface EnvironmentSummary {
  envKey: string;
  alias: string;
  clusterId: string;
  namespace: string;
  production: boolean;
  registryId: string;
  status: EnvironmentStatus;
  updatedBy: string;
  updatedAt: number;
}

export interface EnvironmentRecord extends EnvironmentSummary, Routed {
  environmentId: string;
  projectKey: string;
  /** Why the last change failed; empty otherwise. */
  error: string;
  /** The change under way, or the last one. */
  changeId: string;
  /** Set while everything of the change under way is applied and only its readiness is awaited. */
  rollingOut?: boolean;
  /** What its workloads asked for before they were put to rest is remembered, until all of them have it again. */
  asleep?: boolean;
  /** Managers whose fields every forced apply makes ours, beside those of `kubectl apply`. */
  adoptManagers?: readonly string[];
  /** Made since projects have boundaries: without one set, the default binds it. */
  bounded?: true;
  /** Who let the project use the namespace (decisions 17.1): it was made for the project, or it was there. */
  consent?: "made" | "administrator" | "boundary";
  /** The namespace belongs to another project: what has no label there is not this environment's. */
  guest?: true;
  globalVariables: EnvironmentGlobal[];
  /** Values that every chart gets, below all others of the environment (decisions 11.9). */
  defaultValues?: StoredText;
  createdBy: string;
  createdAt: number;
}

/** A service as it is in an environment. */
export interface EnvironmentService {
  name: string;
  revision: number;
  variables: EnvironmentVariable[];
  /** Containers with the images in force. */
  containers: ServiceContainer[];
  /** Images changed since the revision was deployed: container name → image (contract P 13.6). */
  changedImages: Record<string, string>;
  /** Replica counts set by hand, kept through updates: `Deployment/web` → count (contract P 5.7). */
  replicas?: Record<string, number>;
  /** Set while it is at the version that a rollback took it to. */
  rolledBack?: RolledBack;
  release?: PlannedRelease;
  /** The last run of its tests. */
  test?: TestRun;
  /** Its workloads and custom objects in the cluster: what its status is derived from; empty until it was applied. */
  workloads: { apiVersion: string; kind: string; name: string; expires?: boolean }[];
  /** Its objects that belong to no namespace; other environments may have them too. */
  clusterObjects?: ObjectRef[];
  /** Set when its definition was deleted from the project. */
  definitionGone?: true;
  /** Why the last apply failed; empty otherwise. */
  error: string;
  /** The objects that the cluster refused of it. */
  refused?: RefusedObject[];
  /** Why its workloads were not ready when the last change of it ended. */
  notReady?: string;
  group: number;
  updatedAt: number;
  /** Set while its objects are being removed: it is no longer shown. */
  removing?: true;
  /** While it is removed: definitions go although objects of others are of them. */
  deleteCrds?: boolean;
}

export interface RefusedObject {
  kind: string;
  name: string;
  message: string;
}

export interface EnvironmentManifest {
  /** The text that was rendered for the last apply. */
  text: StoredText;
  /** JSON of `AppliedState`. */
  applied: StoredText;
  isRelease?: true;
  /** The try of a job that deployed the service last, until the service is placed again. */
  deployedBy?: string;
}

export interface AppliedRef {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string | undefined;
  /** A Job that the cluster removes some time after its end. */
  expires?: boolean;
}

/** What of a service exists in the cluster, as our last apply left it (decisions 5.6). */
export interface AppliedState {
  refs: AppliedRef[];
  /** Object key → mark by which an unchanged object is known. */
  marks: Record<string, string>;
}

export interface WholeEnvironment {
  environment: Item<EnvironmentRecord>;
  services: Item<EnvironmentService>[];
  /** Names of services whose objects are still being taken away. */
  leaving: string[];
}

const partitionOf = (projectKey: string, envKey: string): string => keys.environment(projectKey, envKey).pk;

export function findEnvironment(
  projectKey: string,
  envKey: string,
  options: { consistent?: boolean } = {},
): Promise<Item<EnvironmentRecord> | undefined> {
  return table().get<EnvironmentRecord>(keys.environment(projectKey, envKey), options);
}

/** The environment with its services by name, in one query; services on their way out are left out. */
export async function findWholeEnvironment(
  projectKey: string,
  envKey: string,
  options: { consistent?: boolean } = {},
): Promise<WholeEnvironment | undefined> {
  const items = await table().query<EnvironmentRecord & EnvironmentService>({
    pk: partitionOf(projectKey, envKey),
    prefix: "env",
    consistent: options.consistent ?? false,
  });
  const environment = items.find((item) => item.type === "environment");
  if (environment === undefined) return undefined;
  const stored = items.filter((item) => item.type === "environment-service");
  return {
    environment,
    services: stored.filter((item) => item.removing !== true),
    leaving: stored.filter((item) => item.removing === true).map((item) => item.name),
  };
}

/** An environment with one of its services, in one round trip; a service on its way out is left out. */
export async function findServiceInEnvironment(
  projectKey: string,
  envKey: string,
  name: string,
): Promise<{ environment: Item<EnvironmentRecord> | undefined; service: Item<EnvironmentService> | undefined }> {
  const wanted = [keys.environment(projectKey, envKey), keys.environmentService(projectKey, envKey, name)];
  const items = await table().getMany<EnvironmentRecord & EnvironmentService>(wanted, { consistent: false });
  return {
    environment: items.find((item) => item.type === "environment"),
    service: items.find((item) => item.type === "environment-service" && item.removing !== true),
  };
}

export function findEnvironmentService(
  projectKey: string,
  envKey: string,
  name: string,
): Promise<Item<EnvironmentService> | undefined> {
  return table().get<EnvironmentService>(keys.environmentService(projectKey, envKey, name));
}

export function findManifest(
  projectKey: string,
  envKey: string,
  service: string,
  options: { consistent?: boolean } = {},
): Promise<Item<EnvironmentManifest> | undefined> {
  return table().get<EnvironmentManifest>(keys.environmentManifest(projectKey, envKey, service), options);
}

/** Holds that nothing was applied of a service since its manifest was read. */
export function manifestMustBe(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: string,
  { version }: Item<EnvironmentManifest>,
): Write {
  return check(keys.environmentManifest(projectKey, envKey, service), mustHaveVersion(version));
}

/** Summaries of a project's environments by name, both kinds. */
export async function listEnvironments(projectKey: string): Promise<EnvironmentSummary[]> {
  const items = await table().query<{ summary: EnvironmentSummary }>({
    index: "list",
    pk: lists.environments(projectKey),
  });
  return items.map((item) => item.summary);
}

/** Takes the name: loses "environment" when an environment of either kind holds it. */
export function createEnvironmentWrites(environment: EnvironmentRecord): Write[] {
  const { projectKey, envKey } = environment;
  const item = {
    ...environment,
    ...keys.environment(projectKey, envKey),
    type: "environment",
    listPk: lists.environments(projectKey),
    listSk: envKey,
    summary: summaryOf(environment),
    refPk: references.cluster(environment.clusterId),
    refSk: `${environment.namespace}#${environment.environmentId}`,
  };
  return [named("environment", create(item)), create(registryReference(environment))];
}

function registryReference({ projectKey, envKey, registryId }: EnvironmentRecord) {
  return {
    ...keys.environmentRegistry(projectKey, envKey),
    type: "environment-registry",
    refPk: references.registry(registryId),
    refSk: `${projectKey}#${envKey}`,
  };
}

/** Moves an environment that was read to another registry. */
export function moveToRegistry(
  environment: Item<EnvironmentRecord>,
  set: Pick<EnvironmentRecord, "registryId" | "updatedBy">,
): Write[] {
  return [
    changeEnvironment(environment, set, mustHaveVersion(environment.version)),
    overwrite(registryReference({ ...environment, ...set })),
    check(keys.registry(set.registryId), mustExist),
  ];
}

/** Changes an environment that was read under a condition; the summary follows. */
export function changeEnvironment(
  environment: EnvironmentRecord,
  set: Partial<EnvironmentRecord>,
  condition: Condition,
): Write {
  const updated = { ...set, updatedAt: set.updatedAt ?? nowSeconds() };
  const changes = { set: { ...updated, summary: summaryOf({ ...environment, ...updated }) } };
  return named("environment", update(keys.environment(environment.projectKey, environment.envKey), changes, condition));
}

/**
 * Removes what is below an environment; the environment itself goes with `removeEnvironmentWrites`. May be repeated.
 * @throws ConditionFailed when the change is no longer the environment's own: the name may belong to a new one
 */
export async function removeEnvironmentParts(change: CurrentChange): Promise<void> {
  const { projectKey, envKey } = change;
  const items = await table().query<object>({ pk: partitionOf(projectKey, envKey) });
  await removeImagesOf(change, items);
  const parts = items.filter((item) => item.sk !== keys.environment(projectKey, envKey).sk);
  // A transaction's hundred writes, the check of the change among them.
  const maxAtOnce = 99;
  for (let at = 0; at < parts.length; at += maxAtOnce) {
    const removals = parts.slice(at, at + maxAtOnce).map(({ pk, sk }) => remove({ pk, sk }));
    await table().write(changeMustBeCurrent(change), ...removals);
  }
}

/** The end of an environment, and of its place at a base; fails when another change took it over. */
export function removeEnvironmentWrites(change: CurrentChange & Pick<EnvironmentRecord, "baseEnv">): Write[] {
  const { projectKey, envKey, changeId, baseEnv } = change;
  const itself = remove(keys.environment(projectKey, envKey), mustBeOneOf("changeId", [changeId]));
  const place = baseEnv === undefined ? [] : [remove(keys.subEnvironment(projectKey, baseEnv, envKey))];
  return [...place, itself, environmentLeaves(projectKey)];
}

/** A service's place in its environment; replaces what was there. */
export function placeService(projectKey: string, envKey: string, service: EnvironmentService): Write {
  return overwrite({
    ...service,
    ...keys.environmentService(projectKey, envKey, service.name),
    type: "environment-service",
  });
}

export function placeManifest(
  projectKey: string,
  envKey: string,
  service: string,
  manifest: EnvironmentManifest,
): Write {
  return overwrite({
    ...manifest,
    ...keys.environmentManifest(projectKey, envKey, service),
    type: "environment-manifest",
  });
}

/** The service is shown no longer; the reconciler sees to it until its objects are gone. */
export function markServiceRemoving(
  environment: { projectKey: string; envKey: string },
  service: string,
  { deleteCrds }: Pick<EnvironmentService, "deleteCrds">,
): Write {
  const { projectKey, envKey } = environment;
  const due = { duePk: dues.serviceRemovals, dueSk: `${padded(nowSeconds())}#${envKey}#${service}` };
  return update(
    keys.environmentService(projectKey, envKey, service),
    { set: { removing: true, deleteCrds, ...due } },
    mustExist,
  );
}

/** What is stored of a service in an environment; `condition` is on the service's own item. */
export function removeServiceItems(
  environment: { projectKey: string; envKey: string },
  service: string,
  condition?: Condition,
): Write[] {
  const { projectKey, envKey } = environment;
  return [
    remove(keys.environmentService(projectKey, envKey, service), condition),
    remove(keys.environmentManifest(projectKey, envKey, service)),
  ];
}

export interface CurrentChange {
  projectKey: string;
  envKey: string;
  changeId: string;
}

/**
 * Requires that a change is the environment's current one: a superseded change writes nothing. For an environment that
 * was read it requires that no change began since: what is done at once depends on it.
 */
export function changeMustBeCurrent({ projectKey, envKey, changeId }: CurrentChange): Write {
  return named("environment", check(keys.environment(projectKey, envKey), mustBeOneOf("changeId", [changeId])));
}

/** Changes a service that was read, with its manifest; the change that placed them is told by `changeMustBeCurrent`. */
export function changeService(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: Item<EnvironmentService>,
  set: Partial<EnvironmentService>,
  { before, ...manifest }: EnvironmentManifest & { before: Item<EnvironmentManifest> },
): Write[] {
  const { name, version } = service;
  return [
    update(keys.environmentService(projectKey, envKey, name), { set }, mustHaveVersion(version)),
    update(
      keys.environmentManifest(projectKey, envKey, name),
      { set: { ...manifest } },
      mustHaveVersion(before.version),
    ),
  ];
}

export interface EnvironmentReference {
  projectKey: string;
  envKey: string;
  environmentId: string;
  namespace: string;
}

/** Every environment on a cluster, of any project: who may own an object, who shares a namespace. */
export async function environmentsOnCluster(clusterId: string, namespace?: string): Promise<EnvironmentReference[]> {
  const items = await table().query<{ refSk: string }>({
    index: "references",
    pk: references.cluster(clusterId),
    ...(namespace !== undefined && { prefix: `${namespace}#` }),
  });
  return items.map((item) => {
    const [, projectKey = "", envKey = ""] = item.pk.split("#");
    const [ns = "", environmentId = ""] = item.refSk.split("#");
    return { projectKey, envKey, environmentId, namespace: ns };
  });
}

function summaryOf(environment: EnvironmentRecord): EnvironmentSummary {
  const { envKey, alias, clusterId, namespace, production, registryId, status, updatedBy, updatedAt } = environment;
  return { envKey, alias, clusterId, namespace, production, registryId, status, updatedBy, updatedAt };
}
