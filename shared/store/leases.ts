import { nowSeconds } from "./ids.ts";
import { keys } from "./keys.ts";
import { ConditionFailed } from "./table.ts";
import { table } from "./theTable.ts";
import { type Condition, remove } from "./writes.ts";

/** Takes or renews a lease for `seconds`. @returns false while another holder's lease lasts */
export async function holdLease(name: string, holder: string, seconds: number): Promise<boolean> {
  const now = nowSeconds();
  const free: Condition = {
    expression: "attribute_not_exists(pk) OR #until < :now OR #holder = :holder",
    names: { "#until": "until", "#holder": "holder" },
    values: { ":now": now, ":holder": holder },
  };
  const item = {
    ...keys.lease(name),
    type: "lease",
    version: 1,
    holder,
    until: now + seconds,
    ttl: now + seconds + 3600,
  };
  try {
    await table().write({ kind: "put", item, condition: free });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** For how many seconds a lease still lasts; 0 or less when it is free. */
export async function leaseLasts(name: string): Promise<number> {
  const lease = await table().get<{ until: number }>(keys.lease(name));
  return lease === undefined ? 0 : lease.until - nowSeconds();
}

/** Gives a lease back; one that somebody else took in the meantime stays. */
export async function releaseLease(name: string, holder: string): Promise<void> {
  const own: Condition = {
    expression: "#holder = :holder",
    names: { "#holder": "holder" },
    values: { ":holder": holder },
  };
  try {
    await table().write(remove(keys.lease(name), own));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
