import { switchReconcilerSchedule } from "../aws/schedules/reconcilerSchedule.ts";
import { noteQuiet, type ReconcilerCalls, readReconcilerCalls } from "./reconcilerCalls.ts";

/**
 * Stops the reconciler when nothing is open, so that an idle installation costs nothing. What is open is read from an
 * index, which may be late, so it must have been quiet at the last run as well and nobody may have called since.
 * @param calls as they stood before the run looked
 * @returns whether the schedule is off now
 */
export async function restReconciler(calls: ReconcilerCalls): Promise<boolean> {
  if (calls.quietAt !== calls.value) {
    await noteQuiet(calls.value);
    return false;
  }
  await switchReconcilerSchedule("DISABLED");
  // Whoever called in this moment may have found the schedule on.
  if ((await readReconcilerCalls()).value === calls.value) return true;
  await switchReconcilerSchedule("ENABLED");
  return false;
}
