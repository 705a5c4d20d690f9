import { dues, type Key, keys, lists, padded, references } from "../../../base/store/keys/keys.ts";
import { environmentOf, type OperationRecord } from "../rules/operationRecord.ts";
import { functionCode, type Places } from "./counts.ts";
import type { Seal } from "./seal.ts";

/** A record with its number in the whole log. */
export interface NumberedRecord {
  sequence: number;
  record: OperationRecord;
  /** Absent for a record that waits for its seal, and for one that is older than the chains. */
  seal?: Seal;
}

type NewItem = Key & { type: string } & Record<string, unknown>;

/** What is stored of a record: the record itself, and beside it its places in the lists that hold it. */
export function operationItems(record: OperationRecord, places: Places, seal?: Seal): [NewItem, PlacesItem] {
  return [recordItem(record, places, seal), placesItem(record, places)];
}

export function recordItem(record: OperationRecord, places: Places, seal?: Seal): NewItem {
  const { sequence } = places;
  const environment = environmentOf(record);
  const inEnvironment = environment !== undefined && {
    listPk: lists.operationsOfEnvironment(record.projectKey, environment),
    listSk: padded(places.environment ?? 0),
  };
  return {
    ...keys.operationLog(sequence),
    type: "operation-log",
    sequence,
    functionPlace: places.function,
    summary: record,
    ...inEnvironment,
    ...(seal === undefined ? { duePk: dues.unsealedOperations, dueSk: padded(sequence) } : sealAttributes(seal)),
  };
}

/** Places of a record in the lists by function (its key), status and user. */
export type PlacesItem = NewItem & { listPk: string; listSk: string; refPk: string; refSk: string };

export function placesItem(record: OperationRecord, places: Places): PlacesItem {
  return {
    ...keys.operationPlaces(functionCode(record.function), places.function, places.sequence),
    type: "operation-places",
    listPk: lists.operationsOfStatus(record.status),
    listSk: padded(places.status),
    refPk: references.operationsOfUser(record.username),
    refSk: padded(places.user),
  };
}

export function sealAttributes(seal: Seal): Record<string, unknown> {
  return { ...seal, refPk: references.operationsOfChain(seal.chain), refSk: padded(seal.chainSequence) };
}

/** A record as it was stored; before there were chains its fields were in the item itself. */
export type StoredOperation = Key & { sequence: number; functionPlace?: number; duePk?: string } & Partial<Seal> &
  ({ summary: OperationRecord } | ({ summary?: undefined } & OperationRecord));

export function toNumbered(item: StoredOperation): NumberedRecord {
  const { chain, chainSequence, previousHash, hash } = item;
  const sealed = chain !== undefined && chainSequence !== undefined && previousHash !== undefined && hash !== undefined;
  return {
    sequence: item.sequence,
    record: recordOf(item),
    ...(sealed && { seal: { chain, chainSequence, previousHash, hash } }),
  };
}

export function recordOf(item: StoredOperation): OperationRecord {
  const { username, projectKey, method, scene, targets, detail, requestBody, bodyType, status, createdAt, origin } =
    item.summary ?? item;
  return {
    username,
    projectKey,
    method,
    function: (item.summary ?? item).function,
    scene,
    targets,
    detail,
    requestBody,
    bodyType,
    status,
    createdAt,
    ...(origin !== undefined && { origin }),
  };
}
