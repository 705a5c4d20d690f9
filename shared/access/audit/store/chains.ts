import { type Key, keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, named, replace, type Write } from "../../../base/store/writes.ts";
import { type ChainEnd, emptyChain } from "./seal.ts";

const { pk } = keys.operationChain("");

/** A chain's end with the version that moving it on names; none was moved yet at version 0. */
export interface ReadChainEnd extends ChainEnd {
  version: number;
}

export function readChainEnd(chain: string): Promise<ReadChainEnd> {
  return readEnd(keys.operationChain(chain));
}

/** The last record that was removed from the chain. */
export function readAnchor(chain: string): Promise<ReadChainEnd> {
  return readEnd(keys.operationAnchor(chain));
}

async function readEnd(key: Key): Promise<ReadChainEnd> {
  const item = await table().get<ChainEnd>(key);
  return item === undefined
    ? { ...emptyChain, version: 0 }
    : { sequence: item.sequence, hash: item.hash, version: item.version };
}

/** Moves the end on from where it was read; loses "chain end" when another process did. */
export function moveChainEnd(chain: string, from: ReadChainEnd, to: ChainEnd): Write {
  const item = { ...keys.operationChain(chain), type: "operation-chain", sequence: to.sequence, hash: to.hash };
  return named("chain end", from.version === 0 ? create(item) : replace(item, from.version));
}

/** Every chain by name: its end, and the last of its records that was removed. */
export interface Chain {
  name: string;
  end: ReadChainEnd;
  anchor: ReadChainEnd;
}

/** All chains: one partition of small items, which is also the dictionary of a search by project. */
export async function readChains(options: { consistent: boolean }): Promise<Chain[]> {
  const items = await table().query<ChainEnd>({ pk, consistent: options.consistent });
  const anchors = new Map(items.flatMap((item) => namedBehind(item, "anchor#")));
  return items.flatMap((item) =>
    namedBehind(item, "chain#").map(([name, end]) => ({
      name,
      end,
      anchor: anchors.get(name) ?? { ...emptyChain, version: 0 },
    })),
  );
}

function namedBehind(item: Item<ChainEnd>, prefix: string): [string, ReadChainEnd][] {
  if (!item.sk.startsWith(prefix)) return [];
  return [[item.sk.slice(prefix.length), { sequence: item.sequence, hash: item.hash, version: item.version }]];
}
