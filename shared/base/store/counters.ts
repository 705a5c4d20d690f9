import { type Key, keys } from "./keys/keys.ts";
import { table } from "./table.ts";
import { update, type Write } from "./writes.ts";

/** Adds to a named counter inside a transaction, so that a total is exact; the counter is made at its first use. */
export function count(name: string, amount: number): Write {
  return countIn(keys.counter(name), "counter", { value: amount });
}

/** As `count`, for several numbers of one item at once. */
export function countIn(key: Key, type: string, amounts: Readonly<Record<string, number>>): Write {
  return update(key, { set: { type }, add: amounts });
}

/** The value of a counter; 0 before its first use. */
export async function readCounter(name: string): Promise<number> {
  return (await table().get<{ value: number }>(keys.counter(name)))?.value ?? 0;
}
