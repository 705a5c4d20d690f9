import { keys, padded } from "./keys.ts";
import { table } from "./theTable.ts";
import { create } from "./writes.ts";

/** One record of the operation log (contract I 9.1). */
export interface OperationRecord {
  username: string;
  projectKey: string;
  method: string;
  function: string;
  scene: string;
  targets: string[];
  detail: string;
  requestBody: string;
  bodyType: string;
  status: number;
  /** Unix seconds, when the request began. */
  createdAt: number;
}

const sequence = keys.counter("operation-log");
const partition = keys.operationLog(0).pk;

/** Appends a record under the next sequence number: append-only, never changed. */
export async function appendOperation(record: OperationRecord): Promise<void> {
  const { value: next } = await table().add(sequence, 1);
  await table().write(create({ ...keys.operationLog(next), type: "operation-log", sequence: next, ...record }));
}

/**
 * Records newest first; a page is found by its sequence numbers, so that every page costs the same. Read without
 * waiting for the newest record: half the units, and a log that is a moment late misleads nobody.
 */
export async function pageOfOperations(
  page: number,
  pageSize: number,
): Promise<{ records: OperationRecord[]; total: number }> {
  const total = (await table().get<{ value: number }>(sequence, { consistent: false }))?.value ?? 0;
  const last = total - (page - 1) * pageSize;
  if (last < 1) return { records: [], total };
  const first = Math.max(1, last - pageSize + 1);
  const records = await table().query<OperationRecord>({
    pk: partition,
    between: [padded(first), padded(last)],
    descending: true,
    consistent: false,
  });
  return { records, total };
}

/** All records that pass `filter`, newest first: reads the whole log, so its cost grows with it. */
export async function findOperations(
  filter: (record: OperationRecord) => boolean,
  page: number,
  pageSize: number,
): Promise<{ records: OperationRecord[]; total: number }> {
  const all = await table().query<OperationRecord>({ pk: partition, descending: true });
  const matching = all.filter(filter);
  return { records: matching.slice((page - 1) * pageSize, page * pageSize), total: matching.length };
}
