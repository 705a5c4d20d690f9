import { randomUUID } from "node:crypto";
import { equals, mustBeFreeOrBefore } from "./conditions.ts";
import { nowSeconds } from "./ids.ts";
import { keys, padded } from "./keys/keys.ts";
import { table } from "./table.ts";
import { tryWrite } from "./tryWrite.ts";
import { remove } from "./writes.ts";

/** The place of one open stream among those that may be open at once. */
export interface StreamPlace {
  place: number;
  holder: string;
}

interface StoredPlace {
  holder: string;
  until: number;
  session?: string;
}

/**
 * Takes one of `most` places for `seconds`; one whose stream crashed is free again after that. A session that has a place
 * takes that one over, and the stream that had it learns so from `holdsStreamPlace` (decisions 18.5).
 * @returns undefined when all are taken
 */
export async function takeStreamPlace(
  most: number,
  seconds: number,
  session?: string,
): Promise<StreamPlace | undefined> {
  const holder = randomUUID();
  const items = await table().query<StoredPlace>({ pk: keys.openStream(0).pk });
  const taken = items.filter(({ until }) => until >= nowSeconds());
  const own = session === undefined ? undefined : taken.find((one) => one.session === session);
  const take = (place: number, condition = mustBeFreeOrBefore("until", nowSeconds())): Promise<boolean> => {
    const until = nowSeconds() + seconds;
    const item = {
      ...keys.openStream(place),
      type: "open-stream",
      version: 1,
      holder,
      session,
      until,
      ttl: until + 3600,
    };
    return tryWrite(table().write({ kind: "put", item, condition }));
  };
  if (own !== undefined && (await take(Number(own.sk), equals("holder", own.holder))))
    return { place: Number(own.sk), holder };
  const places = new Set(taken.map(({ sk }) => sk));
  for (let place = 0; place < most; place++)
    if (!places.has(padded(place)) && (await take(place))) return { place, holder };
  return undefined;
}

/** Whether the place is still that of the stream that took it. */
export async function holdsStreamPlace({ place, holder }: StreamPlace): Promise<boolean> {
  return (await table().get<StoredPlace>(keys.openStream(place), { consistent: false }))?.holder === holder;
}

/** Gives a place back; one that another stream has taken since stays taken. */
export async function leaveStreamPlace({ place, holder }: StreamPlace): Promise<void> {
  await tryWrite(table().write(remove(keys.openStream(place), equals("holder", holder))));
}
