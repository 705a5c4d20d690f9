import { table } from "../../base/store/table.ts";
import type { RecordUser, UsedRecord } from "../../base/store/uses.ts";
import type { Write } from "../../base/store/writes.ts";
import { changeUses } from "../jobDefinitions/store/changeUses.ts";

/** A transaction has a hundred places, and the workflow's own writes want ten of them. */
const maxBeside = 90;
/** A record that begins to be used takes two places. */
const recordsAtOnce = 45;

/**
 * Makes `write`, which saves or deletes the workflow, together with what it begins and ceases to refer to. What does not
 * fit into one transaction begins before and ends after it: in between more is held than must be, never less.
 */
export async function withUses(
  { before, after, user }: { before: readonly UsedRecord[]; after: readonly UsedRecord[]; user: RecordUser },
  write: (beside: readonly Write[]) => Promise<void>,
): Promise<void> {
  const all = changeUses(before, after, user);
  if (all.length <= maxBeside) return write(all);
  const begun = without(after, before);
  for (const records of chunks(begun)) await table().write(...changeUses([], records, user));
  let ended = begun;
  try {
    await write([]);
    ended = without(before, after);
  } finally {
    for (const records of chunks(ended)) await table().write(...changeUses(records, [], user));
  }
}

function without(records: readonly UsedRecord[], others: readonly UsedRecord[]): UsedRecord[] {
  const names = new Set(others.map(nameOf));
  return records.filter((record) => !names.has(nameOf(record)));
}

function chunks(records: readonly UsedRecord[]): UsedRecord[][] {
  const count = Math.ceil(records.length / recordsAtOnce);
  return Array.from({ length: count }, (_, at) => records.slice(at * recordsAtOnce, (at + 1) * recordsAtOnce));
}

function nameOf({ key, part = "" }: UsedRecord): string {
  return JSON.stringify([key.pk, key.sk, part]);
}
