import { setTimeout as pause } from "node:timers/promises";

/** Longer than a transaction takes to be seen everywhere, in indexes too. */
const pauseMilliseconds = 2000;

/**
 * Looks for a difference between counters and records until two looks find the same: what ends in between shows in one of
 * both first. @returns undefined when there is none, or it does not come to rest
 */
export async function agreed<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  let before = await look();
  for (let looks = 0; before !== undefined && looks < 3; looks++) {
    await pause(pauseMilliseconds);
    const now = await look();
    if (now === undefined || JSON.stringify(now) === JSON.stringify(before)) return now;
    before = now;
  }
  return undefined;
}
