import type { Write } from "./writes.ts";

/** DynamoDB takes 100 items and 4 MB in a transaction; what is left is for conditions that go with it. */
const maxWrites = 95;
const maxBytes = 3 * 1024 * 1024;

/**
 * Puts writes that must stay together into as few transactions as hold them, in order. When several of them require the
 * same item to be as it was read, this is required once: a transaction touches an item once.
 */
export function packTransactions(groups: readonly (readonly Write[])[]): Write[][] {
  const transactions: Write[][] = [];
  let bytes = 0;
  for (const group of groups) {
    const size = Buffer.byteLength(JSON.stringify(group));
    const last = transactions.at(-1);
    if (last !== undefined && last.length + group.length <= maxWrites && bytes + size <= maxBytes) {
      last.push(...group);
      bytes += size;
    } else {
      transactions.push([...group]);
      bytes = size;
    }
  }
  return transactions.map(withoutRepeats);
}

function withoutRepeats(writes: readonly Write[]): Write[] {
  const updates = new Set<string>();
  return writes.filter((write) => {
    if (write.kind !== "update") return true;
    const text = JSON.stringify(write);
    return updates.size < updates.add(text).size;
  });
}
