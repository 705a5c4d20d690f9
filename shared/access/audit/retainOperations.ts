import { config } from "../../base/settings/config.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { hasOperationsBefore, removeOldest } from "./store/removeOldest.ts";

const secondsADay = 86_400;
const maxARun = 1500;

/** Whether records of the operation log are older than they are kept; never where they are kept for ever. */
export async function hasExpiredOperations(): Promise<boolean> {
  const before = keptSince();
  return before !== undefined && (await hasOperationsBefore(before));
}

/** Removes records that are older than they are kept, at most 1,500 a run; the rest is left to the next. */
export async function retainOperations(): Promise<void> {
  const before = keptSince();
  if (before === undefined) return;
  for (let removed = 0; removed < maxARun; ) {
    const some = await removeOldest(before);
    if (some === 0) return;
    removed += some;
  }
}

/** Unix seconds; undefined where everything is kept. */
function keptSince(): number | undefined {
  const { SLIPWAY_OPERATION_LOG_DAYS: days } = config();
  return days === 0 ? undefined : nowSeconds() - days * secondsADay;
}
