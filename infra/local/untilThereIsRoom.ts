import { setTimeout as pause } from "node:timers/promises";
import { isStorageFull } from "../../shared/base/errors/storageFull.ts";

const lookMilliseconds = 1000;

/**
 * Does work that may be done twice, as a function of Slipway may; while the disk is full again and again, so that work
 * that no caller would ask for again is done once there is room.
 * @throws what the work throws otherwise, and the full disk's error when `signal` ends the waiting
 */
export async function untilThereIsRoom<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isStorageFull(error) || signal.aborted) throw error;
      await pause(lookMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }
}
