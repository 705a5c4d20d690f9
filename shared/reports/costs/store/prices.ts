import { keptWithConfig } from "../../../base/settings/config.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite } from "../../../base/store/writes.ts";
import { listPrices, type Prices } from "../rules/prices.ts";

const heldSeconds = 300;
const held = keptWithConfig((): { prices: Prices; until: number } => ({ prices: listPrices, until: 0 }));

/** As `readPrices`, of up to five minutes ago: who tells costs does not read prices with each answer. */
export async function knownPrices(): Promise<Prices> {
  return nowSeconds() < held().until ? held().prices : hold(await readPrices());
}

function hold(prices: Prices): Prices {
  Object.assign(held(), { prices, until: nowSeconds() + heldSeconds });
  return prices;
}

/** Those that were set, or list prices. */
export async function readPrices(): Promise<Prices> {
  return (await table().get<Prices>(keys.priceSettings())) ?? listPrices;
}

/** The last who sets them decides. */
export async function setPrices(prices: Prices): Promise<void> {
  await table().write(overwrite({ ...prices, ...keys.priceSettings(), type: "price-settings" }));
  hold(prices);
}
