import { setTimeout as delay } from "node:timers/promises";
import { ConflictException } from "@aws-sdk/client-scheduler";

const maxTries = 6;
const firstPauseMilliseconds = 50;

/**
 * Does something to a schedule again, with jitter, as long as another process changes the same one at that moment: the
 * SDK repeats no conflict itself. `work` reads what it depends on again each time.
 * @throws ConflictException after the last try, two seconds later
 */
export async function repeatConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConflictException) || tries === maxTries) throw error;
      await delay(Math.random() * firstPauseMilliseconds * 2 ** tries);
    }
  }
}
