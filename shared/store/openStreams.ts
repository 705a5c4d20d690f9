import { randomUUID } from "node:crypto";
import { mustBeFreeOrBefore, mustBeOneOf } from "./conditions.ts";
import { nowSeconds } from "./ids.ts";
import { keys, padded } from "./keys.ts";
import { table } from "./theTable.ts";
import { unlessLost } from "./unlessLost.ts";
import { remove } from "./writes.ts";

/** The place of one open stream among those that may be open at once. */
export interface StreamPlace {
  place: number;
  holder: string;
}

/**
 * Takes one of `most` places for `seconds`; one whose stream crashed is free again after that. @returns undefined when
 * all are taken
 */
export async function takeStreamPlace(most: number, seconds: number): Promise<StreamPlace | undefined> {
  const now = nowSeconds();
  const items = await table().query<{ until: number }>({ pk: keys.openStream(0).pk });
  const taken = new Set(items.filter(({ until }) => until >= now).map(({ sk }) => sk));
  for (let place = 0; place < most; place++) {
    if (taken.has(padded(place))) continue;
    const holder = randomUUID();
    if (await take(place, holder, now + seconds)) return { place, holder };
  }
  return undefined;
}

/** Gives a place back; one that ran out and was taken again stays taken. */
export async function leaveStreamPlace({ place, holder }: StreamPlace): Promise<void> {
  await unlessLost(table().write(remove(keys.openStream(place), mustBeOneOf("holder", [holder]))));
}

function take(place: number, holder: string, until: number): Promise<boolean> {
  const condition = mustBeFreeOrBefore("until", nowSeconds());
  const item = { ...keys.openStream(place), type: "open-stream", version: 1, holder, until, ttl: until + 3600 };
  return unlessLost(table().write({ kind: "put", item, condition }));
}
