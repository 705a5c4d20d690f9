import { setTimeout as pause } from "node:timers/promises";
import { either, equals, less, mustNotExist } from "./conditions.ts";
import { newId, nowSeconds } from "./ids.ts";
import { keys } from "./keys/keys.ts";
import { table } from "./table.ts";
import { update } from "./writes.ts";

/** How long the table keeps a lease that has ended. */
const keptSeconds = 3600;

/** Takes or renews a lease for `seconds`. @returns false while another holder's lease lasts */
export async function holdLease(name: string, holder: string, seconds: number): Promise<boolean> {
  const now = nowSeconds();
  const free = either(mustNotExist, less("until", now), equals("holder", holder));
  const set = { type: "lease", holder, until: now + seconds, ttl: now + seconds + keptSeconds };
  return table().updateOne(update(keys.lease(name), { set }, free));
}

const retryMilliseconds = 500;

/**
 * Does something while no other process does it under the same name. `seconds` must be far more than it takes: a lease
 * that a killed process leaves lasts as long.
 * @throws Error when others hold the lease for `maxWaitSeconds`
 */
export async function underLease<T>(
  name: string,
  { seconds, maxWaitSeconds }: { seconds: number; maxWaitSeconds: number },
  work: () => Promise<T>,
): Promise<T> {
  const holder = newId();
  const tries = Math.ceil((maxWaitSeconds * 1000) / retryMilliseconds);
  for (let attempt = 1; !(await holdLease(name, holder, seconds)); attempt++) {
    if (attempt === tries) throw new Error(`${name} is held by another`);
    await pause(retryMilliseconds);
  }
  try {
    return await work();
  } finally {
    await releaseLease(name, holder);
  }
}

/** For how many seconds a lease still lasts; 0 or less when it is free. */
export async function leaseLasts(name: string): Promise<number> {
  const lease = await table().get<{ until: number }>(keys.lease(name));
  return lease === undefined ? 0 : lease.until - nowSeconds();
}

/** Gives a lease back; one that another holder took in the meantime stays. */
export async function releaseLease(name: string, holder: string): Promise<void> {
  const set = { until: 0, ttl: nowSeconds() + keptSeconds };
  await table().updateOne(update(keys.lease(name), { set }, equals("holder", holder)));
}
