import { mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { type Key, keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { create, remove, replace } from "../../base/store/writes.ts";
import type { ObjectRef } from "../../kube/client/ClusterClient.ts";
import { kindKey } from "../../kube/objectKey.ts";
import type { EnvironmentRecord } from "./environments.ts";

/** A service of an environment that has a cluster-scoped object. */
export interface ClusterOwner {
  environmentId: string;
  projectKey: string;
  envKey: string;
  production: boolean;
  serviceName: string;
}

/** Who has a cluster-scoped object. */
export interface ClusterObject {
  /** SHA-256 of its content without our labels. */
  contentHash: string;
  /** In the order they came; the object carries the labels of the first. */
  owners: ClusterOwner[];
  /** Uid of the object that the last owner deletes; who finds it goes on with that. */
  leaving?: string;
}

/** A deletion that no process resumes is forgotten after this time. */
const leavingSeconds = 7 * 24 * 3600;

/** What is recorded of each object, in their order. */
export async function findClusterObjects(
  clusterId: string,
  refs: readonly ObjectRef[],
): Promise<(Item<ClusterObject> | undefined)[]> {
  if (refs.length === 0) return [];
  const wanted = refs.map((ref) => keyOf(clusterId, ref));
  const distinct = [...new Map(wanted.map((key) => [key.pk, key])).values()];
  const items = new Map((await table().getMany<ClusterObject>(distinct)).map((item) => [item.pk, item]));
  return wanted.map(({ pk }) => items.get(pk));
}

/** Writes who has the object, as long as the record is the one that was read. @returns whether it was */
export function storeClusterObject(
  clusterId: string,
  ref: ObjectRef,
  before: Item<ClusterObject> | undefined,
  next: ClusterObject,
): Promise<boolean> {
  const ttl = next.leaving === undefined ? {} : { ttl: nowSeconds() + leavingSeconds };
  const item = { ...next, ...ttl, ...keyOf(clusterId, ref), type: "cluster-object" };
  return tryWrite(table().write(before === undefined ? create(item) : replace(item, before.version)));
}

/** Drops the record of an object that no one has. @returns whether the record was still the one that was read */
export function removeClusterObject({ pk, sk, version }: Item<ClusterObject>): Promise<boolean> {
  return tryWrite(table().write(remove({ pk, sk }, mustHaveVersion(version))));
}

function keyOf(clusterId: string, ref: ObjectRef): Key {
  return keys.clusterObject(clusterId, kindKey(ref), ref.name);
}

/** The owners whose environments still are. */
export async function standingOwners(owners: readonly ClusterOwner[]): Promise<ClusterOwner[]> {
  if (owners.length === 0) return [];
  const wanted = owners.map(({ projectKey, envKey }) => keys.environment(projectKey, envKey));
  const distinct = [...new Map(wanted.map((key) => [key.pk, key])).values()];
  const found = new Set((await table().getMany<EnvironmentRecord>(distinct)).map((item) => item.environmentId));
  return owners.filter(({ environmentId }) => found.has(environmentId));
}
