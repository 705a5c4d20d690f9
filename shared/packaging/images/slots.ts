export interface Slots {
  /** Waits for so many places at once, in the order of the calls; the answer gives them back. */
  take(count: number): Promise<() => void>;
}

/** Places that several pieces of work share; who asks for more than there are gets all of them. */
export function openSlots(limit: number): Slots {
  let free = limit;
  const waiting: { count: number; start: () => void }[] = [];
  const startNext = () => {
    for (let next = waiting[0]; next !== undefined && next.count <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.count;
      next.start();
    }
  };
  return {
    take: (asked) =>
      new Promise((resolve) => {
        const count = Math.min(asked, limit);
        const giveBack = () => {
          free += count;
          startNext();
        };
        waiting.push({ count, start: () => resolve(giveBack) });
        startNext();
      }),
  };
}

interface Limited {
  slots: Slots;
  access: { id: string };
}

/** Runs what asks one registry something. */
export async function inSlot<T>({ slots }: Limited, work: () => Promise<T>): Promise<T> {
  const free = await slots.take(1);
  try {
    return await work();
  } finally {
    free();
  }
}

/** Runs a transfer between two registries; places are taken in the order of ids, so that transfers cannot deadlock. */
export async function inBoth<T>(one: Limited, other: Limited, work: () => Promise<T>): Promise<T> {
  if (one === other) {
    const free = await one.slots.take(2);
    return work().finally(free);
  }
  const [first, second] = one.access.id < other.access.id ? [one, other] : [other, one];
  return inSlot(first, () => inSlot(second, work));
}
