import { endUse, type RecordUser, startUse, type UsedRecord } from "../../../base/store/uses.ts";
import type { Write } from "../../../base/store/writes.ts";
import { sameRecord } from "./namedUse.ts";

/**
 * The writes by which a user refers to the records of `after`, each named once, and no longer to those of `before`. A
 * transaction may touch an item once, so of a record and its parts only the first one is held.
 */
export function changeUses(before: readonly UsedRecord[], after: readonly UsedRecord[], user: RecordUser): Write[] {
  const held = new Set<string>();
  const begun = without(after, before).flatMap((record) => {
    const writes = startUse(record, user);
    const isHeld = held.has(record.key.pk);
    held.add(record.key.pk);
    return isHeld ? writes.slice(1) : writes;
  });
  return [...begun, ...without(before, after).map((record) => endUse(record, user))];
}

function without(records: readonly UsedRecord[], others: readonly UsedRecord[]): UsedRecord[] {
  return records.filter((record) => !others.some((other) => sameRecord(record, other)));
}
