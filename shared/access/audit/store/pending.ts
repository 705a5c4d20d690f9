import { mustExist, mustNotExist } from "../../../base/store/conditions.ts";
import { newId } from "../../../base/store/ids.ts";
import { type Key, keys, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { named, remove, update, type Write } from "../../../base/store/writes.ts";
import type { OperationRecord } from "../rules/operationRecord.ts";

/** A request that began and whose record is not closed yet (decisions 18.1). */
export interface PendingOperation {
  /** As it was known when the work began: status 0, and of the body what fits into a kilobyte. */
  summary: OperationRecord;
  /** Its status, where the request was answered and only the record could not be closed. */
  answered?: number;
}

/** Of the body, so that the item costs one unit. */
const maxBodyCharacters = 300;
const maxTextCharacters = 200;

/** Notes that a request begins to change something; one write outside of transactions. @returns what closes it */
export async function startOperation(record: OperationRecord): Promise<Key> {
  const key = keys.pendingOperation(record.createdAt, newId());
  const summary = {
    ...record,
    targets: record.targets.slice(0, 2).map((target) => target.slice(0, maxTextCharacters)),
    detail: record.detail.slice(0, maxTextCharacters),
    requestBody: record.requestBody.slice(0, maxBodyCharacters),
    status: 0,
  };
  await table().updateOne(update(key, { set: { type: "pending-operation", summary } }, mustNotExist));
  return key;
}

/** Closes it, in the transaction that stores its record; loses "pending operation" where another process closed it. */
export function closePending(key: Key): Write {
  return named("pending operation", remove(key, mustExist));
}

/** Takes back the note of a request that changed nothing. */
export async function removePending(key: Key): Promise<void> {
  await table().write(remove(key));
}

/** Keeps how a request was answered whose record could not be closed. */
export async function recordAnswered(key: Key, status: number): Promise<void> {
  await table().updateOne(update(key, { set: { answered: status } }, mustExist));
}

/** Requests that began before a time (Unix seconds, exclusive), oldest first, and are not closed; at most `limit`. */
export function pendingBefore(time: number, limit: number): Promise<Item<PendingOperation>[]> {
  const { pk } = keys.pendingOperation(0, "");
  return table().query<PendingOperation>({ pk, between: [padded(0), padded(Math.max(0, time))], limit });
}
