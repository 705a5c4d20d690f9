/** Repeats `look` until it answers something that is not undefined or false; fails after `seconds` naming the condition. */
export async function waitFor<T>(what: string, look: () => Promise<T | undefined | false>, seconds = 30): Promise<T> {
  const endsAt = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > endsAt) throw new Error(`gave up after ${seconds} s waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
