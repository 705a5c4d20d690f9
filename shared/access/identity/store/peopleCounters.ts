import { countIn } from "../../../base/store/counters.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Write } from "../../../base/store/writes.ts";

/** How many people there are; users also by identity type. One item, so that lists read their totals at once. */
export interface PeopleCounters {
  users: number;
  groups: number;
  usersByType: Readonly<Record<string, number>>;
}

const typePrefix = "users of ";

export const peopleCountersKey = keys.counter("people");

export function countUsers(identityType: string, amount: number): Write {
  return add({ users: amount, [typePrefix + identityType]: amount });
}

export function countGroups(amount: number): Write {
  return add({ groups: amount });
}

function add(amounts: Record<string, number>): Write {
  return countIn(peopleCountersKey, "counter", amounts);
}

export async function readPeopleCounters(): Promise<PeopleCounters> {
  return peopleCountersOf(await table().get<object>(peopleCountersKey, { consistent: false }));
}

/** Reads the item as it was stored; before the first user there is none. */
export function peopleCountersOf(item: object | undefined): PeopleCounters {
  const numbers = Object.entries(item ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  const named = new Map(numbers);
  const byType = numbers.flatMap(([name, amount]) =>
    name.startsWith(typePrefix) && amount > 0 ? [[name.slice(typePrefix.length), amount] as const] : [],
  );
  return {
    users: named.get("users") ?? 0,
    groups: named.get("groups") ?? 0,
    usersByType: Object.fromEntries(byType.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
