import { switchReconcilerSchedule } from "../aws/schedules/reconcilerSchedule.ts";
import { callReconciler } from "./reconcilerCalls.ts";

/**
 * Lets the reconciler run every minute: called before work begins that a crash could leave behind (decisions 8.3). It is
 * called for first and looked at after, so that one that is about to stop either sees the call or is started again.
 */
export async function enableReconciler(): Promise<void> {
  await callReconciler();
  await switchReconcilerSchedule("ENABLED");
}
