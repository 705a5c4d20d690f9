/**
 * Running tasks are counted in so many items, so that hundreds that start or end at the same moment do not wait for each
 * other. Each may take its share of the limit, so that all of them together never take more (docs/decisions/0204).
 */
export const slotShards = 16;

/** Running tasks by the item that counts them. */
export interface Slots {
  /** In the one item of older releases; what runs there leaves it, and nothing comes in. */
  unsharded: number;
  sharded: Map<number, number>;
}

/** A counter with room: it takes one more as long as it counts fewer than its share. */
export interface FreeSlot {
  shard: number;
  share: number;
}

export function runningIn({ unsharded, sharded }: Slots): number {
  return [...sharded.values()].reduce((sum, running) => sum + running, unsharded);
}

/** The counters with room for one more, each once. Empty when as many run as `limit` allows, and never before. */
export function freeSlots(slots: Slots, limit: number): FreeSlot[] {
  if (runningIn(slots) >= limit) return [];
  const left = limit - slots.unsharded;
  const [least, more] = [Math.floor(left / slotShards), left % slotShards];
  return Array.from({ length: slotShards }, (_, shard) => ({ shard, share: least + (shard < more ? 1 : 0) })).filter(
    ({ shard, share }) => (slots.sharded.get(shard) ?? 0) < share,
  );
}
