import { nowSeconds } from "../../store/ids.ts";
import { keys } from "../../store/keys.ts";
import { table } from "../../store/theTable.ts";
import { overwrite } from "../../store/writes.ts";
import { listPrices, type Prices } from "../rules/prices.ts";

const priceNames = Object.keys(listPrices) as (keyof Prices)[];

const heldSeconds = 300;
let held: { prices: Prices; until: number } | undefined;

/** As `readPrices`, of up to five minutes ago: who tells costs does not read prices with each answer. */
export async function knownPrices(): Promise<Prices> {
  if (held !== undefined && nowSeconds() < held.until) return held.prices;
  return hold(await readPrices());
}

function hold(prices: Prices): Prices {
  held = { prices, until: nowSeconds() + heldSeconds };
  return prices;
}

/** Those that were set, or list prices. */
export async function readPrices(): Promise<Prices> {
  const stored = await table().get<Prices>(keys.priceSettings());
  if (stored === undefined) return listPrices;
  return Object.fromEntries(priceNames.map((name) => [name, stored[name]])) as unknown as Prices;
}

/** The last who sets them decides. */
export async function setPrices(prices: Prices): Promise<void> {
  await table().write(overwrite({ ...prices, ...keys.priceSettings(), type: "price-settings" }));
  hold(prices);
}
