import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { mustExist } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { type Key, keys, lists, padded } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, update, type Write } from "../../base/store/writes.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import { takenBackWrites } from "../../reports/statistics/store/deliveredServices.ts";
import type { Change } from "./changes.ts";

/** A service that a rollback took back stays there until it is named in an update or a newer revision is saved. */
export interface RolledBack {
  /** The version that it was taken back to, and the one that it left. */
  revision: number;
  from: number;
  /** Unix seconds. */
  at: number;
  /** The newest revision of its definition then. */
  newest: number;
}

/** What a service was before or after it was taken back. */
interface RolledState {
  text: StoredText;
  containers: ServiceContainer[];
}

/** Who took a service of an environment back to an earlier version, when, from which and to which. */
export interface Rollback extends RollbackSummary {
  by: string;
  /** Absent where it was not noted. */
  byUser?: Change["byUser"];
  from: number;
  to: number;
  /** Absent where the version that was left had gone. */
  origin?: RolledState;
  update?: RolledState;
}

/** What rollbacks are searched by. */
export interface RollbackSummary {
  projectKey: string;
  envKey: string;
  production: boolean;
  service: string;
  /** Unix seconds. */
  at: number;
}

/** Keeps a rollback in the list of all, where it outlives the environment, and counts it; as statistics' `takenBackWrites`. */
export async function storeRollback(
  change: Change,
  service: string,
  went: Pick<Rollback, "from" | "to" | "origin" | "update">,
): Promise<Write[]> {
  const { projectKey, envKey, production, by, byUser, changeId } = change;
  const at = nowSeconds();
  const summary: RollbackSummary = { projectKey, envKey, production, service, at };
  const kept = create({
    ...keys.rollback(projectKey, at, changeId, service),
    type: "rollback",
    ...summary,
    by,
    ...(byUser && { byUser }),
    ...went,
    listPk: lists.rollbacks,
    listSk: `${padded(at)}#${changeId}#${service}`,
    summary,
  });
  return production ? [kept, ...(await takenBackWrites({ projectKey, envKey, service }, at))] : [kept];
}

/** Puts one of before there was a list into it; may be repeated. */
export async function listRollback(rollback: Item<Rollback>): Promise<void> {
  const { pk, sk, projectKey, envKey, production, service, at } = rollback;
  const summary: RollbackSummary = { projectKey, envKey, production, service, at };
  await table().write(update({ pk, sk }, { set: { listPk: lists.rollbacks, listSk: sk, summary } }, mustExist));
}

/**
 * Rollbacks between two times, both included, newest first; at most `most` of them are read.
 * @param from Unix seconds
 */
export async function searchRollbacks(
  from: number,
  to: number,
  most: number,
): Promise<{ key: Key; summary: RollbackSummary }[]> {
  const between = [padded(from), `${padded(to)}#~`] as const;
  const options = { index: "list", pk: lists.rollbacks, between, descending: true, limit: most } as const;
  const items = await table().query<{ summary: RollbackSummary }>(options);
  return items.map(({ pk, sk, summary }) => ({ key: { pk, sk }, summary }));
}

/** Every rollback of a project, oldest first; those of before the list had them are not in it. */
export function rollbacksOfProject(projectKey: string): Promise<Item<Rollback & { listPk?: string }>[]> {
  return table().query<Rollback & { listPk?: string }>({ pk: keys.rollback(projectKey, 0, "", "").pk });
}
