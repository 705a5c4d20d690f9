import { absent, both, type Condition, either, equals, less } from "../../../base/store/conditions.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { type Changes, update } from "../../../base/store/writes.ts";
import type { Freeze } from "../rules/freeze.ts";

/** As many as anybody oversees, and as many bytes as one item has room for. */
export const maxFreezes = 200;
export const maxFreezeBytes = 300_000;

/** A change or removal of a freeze requires the revision that was read. */
export interface StoredFreeze extends Freeze {
  revision: number;
  /** What it takes of `maxFreezeBytes`. */
  bytes: number;
}

/**
 * All freezes are one item, each an attribute of its own beside the sums `freezes` and `bytes`: those who write at the same
 * moment undo nothing of each other, and only those who write the same freeze can lose.
 */
const prefix = "freeze#";
const attributeOf = (freezeId: string): string => `${prefix}${freezeId}`;

/** Every freeze, the oldest first; those of one second in no order that means anything. */
export async function findFreezes(): Promise<StoredFreeze[]> {
  const item = await table().get(keys.freezes());
  return item === undefined ? [] : freezesIn([item]);
}

/** The freezes among items that were read in one batch with `keys.freezes()`. */
export function freezesIn(items: readonly Item<object>[]): StoredFreeze[] {
  const item = items.find(({ type }) => type === "freezes");
  return Object.entries(item ?? {})
    .flatMap(([name, freeze]) => (name.startsWith(prefix) ? [freeze as StoredFreeze] : []))
    .sort((a, b) => (a.freezeId < b.freezeId ? -1 : 1));
}

/** @returns false when there are as many as there may be, or all together have no more room */
export function addFreeze(freeze: Freeze): Promise<boolean> {
  const stored = storedFreeze(freeze, 1);
  return write(
    { set: { type: "freezes", [attributeOf(freeze.freezeId)]: stored }, add: { freezes: 1, bytes: stored.bytes } },
    either(absent("freezes"), both(less("freezes", maxFreezes), less("bytes", maxFreezeBytes - stored.bytes))),
  );
}

/** @returns false when it changed since it was read, or is gone */
export function replaceFreeze(before: StoredFreeze, freeze: Freeze): Promise<boolean> {
  const stored = storedFreeze(freeze, before.revision + 1);
  const add = { bytes: stored.bytes - before.bytes };
  return write({ set: { [attributeOf(before.freezeId)]: stored }, add }, mustBeAt(before));
}

/** @returns false when it changed since it was read, or is gone */
export function removeFreeze(before: StoredFreeze): Promise<boolean> {
  const add = { freezes: -1, bytes: -before.bytes };
  return write({ unset: [attributeOf(before.freezeId)], add }, mustBeAt(before));
}

/** Outside of transactions, in which writes of one item would disturb each other. */
function write(changes: Changes, condition: Condition): Promise<boolean> {
  return table().updateOne(update(keys.freezes(), changes, condition));
}

function mustBeAt({ freezeId, revision }: StoredFreeze): Condition {
  return equals([attributeOf(freezeId), "revision"], revision);
}

function storedFreeze(freeze: Freeze, revision: number): StoredFreeze {
  return { ...freeze, revision, bytes: Buffer.byteLength(JSON.stringify(freeze)) };
}
