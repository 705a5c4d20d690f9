interface Waiting {
  /** Tells one workflow, test or scan from another. */
  key: string;
  /** Most running tasks under the key; undefined: any number; 0: none ever (contract W 1.1). */
  limit: number | undefined;
}

interface Slots {
  running: number;
  limit: number;
  runningOf: ReadonlyMap<string, number>;
}

/**
 * Which waiting tasks may start now, in their order: at most as many as the installation has slots for, and none beyond
 * its own limit; one that is blocked does not block the ones behind it (contract W 8.4).
 */
export function startable<T extends Waiting>(waiting: readonly T[], { running, limit, runningOf }: Slots): T[] {
  const taken = new Map(runningOf);
  const chosen: T[] = [];
  for (const one of waiting) {
    if (running + chosen.length >= limit) break;
    const own = taken.get(one.key) ?? 0;
    if (one.limit !== undefined && own >= one.limit) continue;
    taken.set(one.key, own + 1);
    chosen.push(one);
  }
  return chosen;
}
