/**
 * Repeats `look` until it answers something that is not undefined or false; fails after `seconds` naming the condition.
 * It looks less often the longer it has waited, so that who waits long takes little from who works.
 */
export async function waitFor<T>(what: string, look: () => Promise<T | undefined | false>, seconds = 60): Promise<T> {
  const startedAt = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    const waited = Date.now() - startedAt;
    if (waited > seconds * 1000) throw new Error(`gave up after ${seconds} s waiting for ${what}`);
    const pause = Math.min(50 + waited / 20, 300);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
