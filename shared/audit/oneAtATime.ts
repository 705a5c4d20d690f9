const queues = new Map<string, Promise<unknown>>();

/** Lets work of one name follow each other within this process, so that it does not compete with itself. */
export async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(name) ?? Promise.resolve();
  const own = before.then(work, work);
  queues.set(name, own);
  try {
    return await own;
  } finally {
    if (queues.get(name) === own) queues.delete(name);
  }
}
