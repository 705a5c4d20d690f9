import { ConditionFailed, conflictedOnlyOn } from "./tableClient.ts";
import type { WriteName } from "./writes.ts";

const maxTries = 20;

/**
 * Reads and writes again when another process changed what was read in between, up to 20 times with jitter.
 * @param name of the write that was made of what was read, where the transaction has others: again only if it alone lost
 * @throws ConditionFailed after the last try
 */
export async function retryOnConflict<T>(work: () => Promise<T>, name?: WriteName): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isConflict = name === undefined ? error instanceof ConditionFailed : conflictedOnlyOn(error, name);
      if (!isConflict || tries >= maxTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * tries));
    }
  }
}
