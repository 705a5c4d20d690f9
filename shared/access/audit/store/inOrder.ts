import { keys, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { type NumberedRecord, type StoredOperation, toNumbered } from "./operationItems.ts";

/** A record as the table holds it. */
export interface RecordInOrder extends NumberedRecord {
  /** Sort key under which it was found. */
  key: string;
  /** Stored without a seal, and marked for it. */
  waits: boolean;
}

/**
 * Up to `limit` records behind the sort key `after` ("" from the beginning), in the order of their numbers: the whole
 * log is read so, bit by bit.
 */
export async function operationsBehind(
  after: string,
  limit: number,
  options: { consistent: boolean },
): Promise<RecordInOrder[]> {
  const items = await table().query<StoredOperation>({
    pk: keys.operationLog(0).pk,
    // Sort keys are digits; the one to go on behind is not wanted again.
    between: [`${after} `, "~"],
    limit,
    consistent: options.consistent,
  });
  return items.map((item) => ({ ...toNumbered(item), key: item.sk, waits: item.duePk !== undefined }));
}

/** As `operationsBehind`, behind a number. */
export function operationsAfter(sequence: number, limit: number): Promise<RecordInOrder[]> {
  return operationsBehind(sequence === 0 ? "" : padded(sequence), limit, { consistent: true });
}
