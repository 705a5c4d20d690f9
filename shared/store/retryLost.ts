import { ConditionFailed } from "./table.ts";

const maxTries = 20;

/**
 * Reads and writes again when somebody else changed what was read in between, up to 20 times with jitter.
 * @throws ConditionFailed after the last try
 */
export async function retryLost<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConditionFailed) || tries >= maxTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * tries));
    }
  }
}
