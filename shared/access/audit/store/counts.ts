import { createHash } from "node:crypto";
import { type Key, keys, lists } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { OperationFunction } from "../rules/functions.ts";
import { environmentOf, type OperationRecord } from "../rules/operationRecord.ts";

/** A record's number in the whole log and in each of its partitions, all counted from 1. */
export interface Places {
  sequence: number;
  function: number;
  status: number;
  user: number;
  /** Absent for a record that is about no environment. */
  environment?: number;
}

/** How many records a partition was given, and how many of its oldest were removed since. */
export interface Count {
  value: number;
  removed: number;
}

/**
 * The item that counts the whole log, and in it each function and each status: one addition numbers a record in all of
 * them. Functions go by a short code, so that the item stays below the kilobyte that an addition pays for.
 */
export type LogCounts = Readonly<Record<string, number>>;

export const logCounts = keys.counter("operation-log");

export const functionCode = (name: OperationFunction): string =>
  `f${createHash("sha256").update(name).digest("base64url").slice(0, 4)}`;
export const statusCode = (status: number): string => `s${status}`;
/** The attribute beside each count that tells how many were removed. */
export const removedOf = (code: string): string => (code === "value" ? "removed" : `-${code}`);

export const environmentCount = (projectKey: string, environment: string): Key =>
  keys.counter(lists.operationsOfEnvironment(projectKey, environment));

/**
 * Numbers a record: one addition for log, function and status, one for the user, one for the environment.
 * @param sequence in the whole log, where a record gets one that was counted and is not used
 */
export async function takePlaces(record: OperationRecord, sequence?: number): Promise<Places> {
  const environment = environmentOf(record);
  const [log, user, inEnvironment] = await Promise.all([
    table().addTo<LogCounts>(logCounts, {
      ...(sequence === undefined && { value: 1, indexed: 1 }),
      [functionCode(record.function)]: 1,
      [statusCode(record.status)]: 1,
    }),
    table().add(keys.operationUser(record.username), 1, { type: "operation-user", name: record.username }),
    environment === undefined ? undefined : countEnvironment(record.projectKey, environment),
  ]);
  return {
    sequence: sequence ?? log.value ?? 0,
    function: log[functionCode(record.function)] ?? 0,
    status: log[statusCode(record.status)] ?? 0,
    user: user.value,
    ...(inEnvironment !== undefined && { environment: inEnvironment }),
  };
}

/** The next number in the log of an environment. */
export async function countEnvironment(projectKey: string, environment: string): Promise<number> {
  return (await table().add(environmentCount(projectKey, environment), 1)).value;
}

/** What `counts` says of one partition. */
export function countOf(counts: LogCounts, code: string): Count {
  return { value: counts[code] ?? 0, removed: counts[removedOf(code)] ?? 0 };
}

/**
 * Records up to this number were written before there were indexes: they are in none and are found by reading them.
 * 0 for an installation that never had any, and when all of them were removed.
 */
export function lastUnindexed(counts: LogCounts): number {
  const last = (counts.value ?? 0) - (counts.indexed ?? 0);
  return last > (counts.removed ?? 0) ? last : 0;
}

/** Read without waiting for the newest record: half the units, and a log that is a moment late misleads no one. */
export async function readCounts({ consistent = false } = {}): Promise<LogCounts> {
  return (await table().get<LogCounts>(logCounts, { consistent })) ?? {};
}
