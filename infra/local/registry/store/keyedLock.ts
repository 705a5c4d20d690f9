/** Runs work under one key one after another, in the order of the calls; different keys do not wait for each other. */
export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const previous = tails.get(key) ?? Promise.resolve();
    const result = previous.then(work);
    const tail = result.catch(() => undefined);
    tails.set(key, tail);
    await tail;
    if (tails.get(key) === tail) tails.delete(key);
    return result;
  };
}
