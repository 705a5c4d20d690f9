import { nowSeconds } from "../../base/store/ids.ts";
import type { FreezePlace } from "./rules/freeze.ts";
import { type FreezeInWindow, freezeAt, freezesBetween } from "./rules/windows.ts";
import { findFreezes } from "./store/freezes.ts";
import { frozen } from "./words.ts";

/** @throws ApiError 409 when a freeze holds now for one of the places: its name, its reason, and until when */
export async function requireNoFreeze(places: readonly FreezePlace[]): Promise<void> {
  const held = await holdingFreeze(places);
  if (held !== undefined) throw frozen(held);
}

/** The freeze that holds now for the first of the places that one holds for. Without places nothing is read. */
export async function holdingFreeze(places: readonly FreezePlace[]): Promise<FreezeInWindow | undefined> {
  if (places.length === 0) return undefined;
  const freezes = await findFreezes();
  const now = nowSeconds();
  return places.map((place) => freezeAt(freezes, place, now)).find((held) => held !== undefined);
}

/** Windows of freezes about any of the places between two times (Unix seconds), by their start, at most so many a freeze. */
export async function freezesAhead(
  places: readonly FreezePlace[],
  range: { from: number; to: number; most: number },
): Promise<FreezeInWindow[]> {
  return freezesBetween(await findFreezes(), places, range);
}
