import { setTimeout as pause } from "node:timers/promises";
import { DeadlinePassed, WrongUsage } from "./endings.ts";

const pauseMilliseconds = 1000;

/**
 * Looks once a second until there is a result.
 * @param look undefined while there is none
 * @throws DeadlinePassed after `seconds`
 */
export async function until<T>(what: string, seconds: number, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() + pauseMilliseconds > end)
      throw new DeadlinePassed(`${what} did not happen within ${seconds} s; it goes on all the same`);
    await pause(pauseMilliseconds);
  }
}

/** `90s`, `10m`, `1h` or a number of seconds. @throws WrongUsage */
export function secondsOf(text: string): number {
  const [, number, unit = "s"] = /^(\d{1,6})(s|m|h)?$/.exec(text) ?? [];
  const factor = { s: 1, m: 60, h: 3600 }[unit];
  if (number === undefined || factor === undefined)
    throw new WrongUsage(`${text} is no time: write seconds, or a number with s, m or h, such as 10m`);
  return Number(number) * factor;
}
