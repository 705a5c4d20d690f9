import { setTimeout as delay } from "node:timers/promises";

const lookSeconds = 3;

/** Runs `work` with a signal that tells when it is called off; every three seconds it is asked whether it is. */
export async function withCancellation<T>(
  isCalledOff: () => Promise<boolean>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [off, done] = [new AbortController(), new AbortController()];
  const looking = (async () => {
    while (!done.signal.aborted) {
      if (await isCalledOff()) return off.abort();
      await delay(lookSeconds * 1000, undefined, { signal: done.signal });
    }
  })().catch(() => undefined);
  try {
    return await work(off.signal);
  } finally {
    done.abort();
    await looking;
  }
}
