import { mustExist } from "../../../base/store/conditions.ts";
import { type Key, keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { ConditionFailed } from "../../../base/store/tableClient.ts";
import { create, remove, replace, update, type Write } from "../../../base/store/writes.ts";
import { environmentOf } from "../rules/operationRecord.ts";
import { type ReadChainEnd, readAnchor } from "./chains.ts";
import { environmentCount, functionCode, logCounts, removedOf, statusCode } from "./counts.ts";
import { recordOf, type StoredOperation, toNumbered } from "./operationItems.ts";

/** A transaction holds a hundred writes; a record takes up to five, and the log's counts one. */
const maxAtOnce = 15;
const maxLookedAt = 100;

/** Whether the oldest record began before `time` (Unix seconds). */
export async function hasOperationsBefore(time: number): Promise<boolean> {
  const [oldest] = await oldestItems(1);
  return oldest !== undefined && isOld(oldest, time);
}

/**
 * Removes the oldest records that began before `time` (Unix seconds), at most 15. A chain loses its first records in
 * their order, and its anchor keeps the last of them, so that what is left can still be verified. A record that waits
 * for its seal stays.
 * @returns how many were removed; 0 when nothing is left to remove or another process removes at the same moment
 */
export async function removeOldest(time: number): Promise<number> {
  const old = (await oldestItems(maxLookedAt)).filter((item) => isOld(item, time));
  const { items, anchors } = await removable(old);
  if (items.length === 0) return 0;
  try {
    await table().write(
      ...items.flatMap(removals),
      ...countRemoved(items),
      ...[...anchors].map(([chain, { from, to }]) => moveAnchor(chain, from, to)),
    );
    return items.length;
  } catch (error) {
    if (error instanceof ConditionFailed) return 0;
    throw error;
  }
}

async function oldestItems(limit: number): Promise<StoredOperation[]> {
  return table().query<StoredOperation>({ pk: keys.operationLog(0).pk, limit });
}

function isOld(item: StoredOperation, time: number): boolean {
  return recordOf(item).createdAt < time;
}

interface Moved {
  from: ReadChainEnd;
  to: { sequence: number; hash: string };
}

/** The first of them that are the next of their chains, and how far each chain's anchor moves. */
async function removable(old: readonly StoredOperation[]): Promise<{
  items: StoredOperation[];
  anchors: Map<string, Moved>;
}> {
  const anchors = new Map<string, Moved>();
  const items: StoredOperation[] = [];
  for (const item of old) {
    if (items.length === maxAtOnce || item.duePk !== undefined) break;
    const { seal } = toNumbered(item);
    if (seal !== undefined) {
      const from = anchors.get(seal.chain)?.from ?? (await readAnchor(seal.chain));
      const reached = anchors.get(seal.chain)?.to.sequence ?? from.sequence;
      if (seal.chainSequence !== reached + 1) continue;
      anchors.set(seal.chain, { from, to: { sequence: seal.chainSequence, hash: seal.hash } });
    }
    items.push(item);
  }
  return { items, anchors };
}

function removals(item: StoredOperation): Write[] {
  const record = remove({ pk: item.pk, sk: item.sk }, mustExist);
  if (item.functionPlace === undefined) return [record];
  const code = functionCode(recordOf(item).function);
  return [record, remove(keys.operationPlaces(code, item.functionPlace, item.sequence))];
}

/** Totals are what was counted less what was removed; each count is stored beside its other half. */
function countRemoved(items: readonly StoredOperation[]): Write[] {
  const counted = new Map<string, { key: Key; add: Record<string, number> }>();
  const count = (key: Key, code: string): void => {
    const name = `${key.pk}\n${key.sk}`;
    const found = counted.get(name) ?? { key, add: {} };
    counted.set(name, found);
    found.add[removedOf(code)] = (found.add[removedOf(code)] ?? 0) + 1;
  };
  for (const item of items) {
    count(logCounts, "value");
    if (item.functionPlace === undefined) continue;
    const record = recordOf(item);
    const environment = environmentOf(record);
    count(logCounts, functionCode(record.function));
    count(logCounts, statusCode(record.status));
    count(keys.operationUser(record.username), "value");
    if (environment !== undefined) count(environmentCount(record.projectKey, environment), "value");
  }
  return [...counted.values()].map(({ key, add }) => update(key, { add }, mustExist));
}

function moveAnchor(chain: string, from: ReadChainEnd, to: Moved["to"]): Write {
  const item = { ...to, ...keys.operationAnchor(chain), type: "operation-anchor" };
  return from.version === 0 ? create(item) : replace(item, from.version);
}
