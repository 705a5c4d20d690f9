import { mustLack } from "../../../base/store/conditions.ts";
import { dues } from "../../../base/store/keys/keys.ts";
import { retryOnConflict } from "../../../base/store/retryOnConflict.ts";
import { table } from "../../../base/store/table.ts";
import { update, type Write } from "../../../base/store/writes.ts";
import { moveChainEnd, readChainEnd } from "./chains.ts";
import { recordOf, type StoredOperation, sealAttributes } from "./operationItems.ts";
import { type ChainEnd, chainOf, sealBehind } from "./seal.ts";

/** Few enough that a transaction is quick, because everybody who appends to the chain loses against it. */
const maxAtOnce = 25;
const maxARun = 1000;

const notSealed = mustLack("hash");

/** How many records wait for their seal; at most as many as one run seals. */
export async function countUnsealed(): Promise<number> {
  return (await unsealedKeys()).length;
}

/**
 * Ties records that were stored without a seal to their chains, oldest first, at most 1,000 a run. May run twice at the
 * same moment: a record is sealed once.
 */
export async function sealOperations(): Promise<void> {
  const waiting = await unsealedKeys();
  const byChain = Map.groupBy(await readUnsealed(waiting), (item) => chainOf(recordOf(item).projectKey));
  for (const [chain, items] of byChain)
    for (let at = 0; at < items.length; at += maxAtOnce) await sealSome(chain, items.slice(at, at + maxAtOnce));
}

async function unsealedKeys() {
  return table().query<object>({ index: "due", pk: dues.unsealedOperations, limit: maxARun });
}

async function readUnsealed(keys: readonly { pk: string; sk: string }[]): Promise<StoredOperation[]> {
  const items = await table().getMany<StoredOperation>(keys.map(({ pk, sk }) => ({ pk, sk })));
  return items.filter(({ hash }) => hash === undefined).sort((a, b) => a.sequence - b.sequence);
}

async function sealSome(chain: string, items: readonly StoredOperation[]): Promise<void> {
  await retryOnConflict(async () => {
    const left = await readUnsealed(items);
    if (left.length === 0) return;
    const from = await readChainEnd(chain);
    let end: ChainEnd = from;
    const writes: Write[] = left.map((item) => {
      const seal = sealBehind(end, item.sequence, recordOf(item));
      end = { sequence: seal.chainSequence, hash: seal.hash };
      return update({ pk: item.pk, sk: item.sk }, { set: sealAttributes(seal), unset: ["duePk", "dueSk"] }, notSealed);
    });
    await table().write(moveChainEnd(chain, from, end), ...writes);
  });
}
