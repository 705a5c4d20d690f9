import { nowSeconds } from "../../base/store/ids.ts";
import { underLease } from "../../base/store/leases.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { appendOperation } from "./store/append.ts";
import { pendingBefore } from "./store/pending.ts";
import { unusedPlaces } from "./store/unusedPlaces.ts";

/** A request that has not closed its record after so long is not coming back (decisions 18.1). */
const forgottenSeconds = 120;
const maxARun = 250;
const lookMilliseconds = 60_000;
const leaseTerms = { seconds: 60, maxWaitSeconds: 60 };
/** When this process last looked. */
let lookedAt = 0;

/** The detail in the record of a request that was not heard of again. */
const outcomeUnknown = "outcome unknown";

/**
 * Closes records whose request was killed: as answered where the answer went out, otherwise with status 0. At most 250 a
 * run. One run at a time: another one would take numbers for records that the first has stored.
 * @param requestsEndedBefore Unix seconds: requests that began before have ended, whatever they left
 */
export async function closeForgotten(requestsEndedBefore = 0): Promise<void> {
  lookedAt = Date.now();
  const before = forgottenAt(requestsEndedBefore);
  if ((await pendingBefore(before, 1)).length === 0) return;
  await underLease("forgotten-operations", leaseTerms, async () => {
    for (const { pk, sk, summary, answered } of await pendingBefore(before, maxARun)) {
      const closed = answered === undefined ? { ...summary, detail: outcomeUnknown } : { ...summary, status: answered };
      const { record, places } = await unusedPlaces(closed);
      await tryWrite(appendOperation(record, { pending: { pk, sk }, places, mustClose: true }));
    }
  });
}

function forgottenAt(requestsEndedBefore: number): number {
  return Math.max(nowSeconds() - forgottenSeconds, requestsEndedBefore);
}

/** How many records of requests are open, which may have been killed; at most as many as one run closes. */
export async function countPending(): Promise<number> {
  return (await pendingBefore(nowSeconds() + 1, maxARun)).length;
}

/** Whether the reconciler has records to close. Each process looks once a minute, while it writes records. */
export async function hasForgotten(): Promise<boolean> {
  const now = Date.now();
  if (now - lookedAt < lookMilliseconds) return false;
  lookedAt = now;
  return (await pendingBefore(forgottenAt(0), 1)).length > 0;
}
