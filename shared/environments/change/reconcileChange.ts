import type { AskStatus } from "../../base/aws/states/stateMachines.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { findChange } from "../store/changes.ts";
import { waitsOf } from "../store/readinessWaits.ts";
import { wakeWatcher } from "../waits/wakeWatcher.ts";
import { abandonCreation, isForgotten } from "./abandonCreation.ts";
import { resumeChange } from "./changeControl.ts";
import { failChange } from "./failChange.ts";

/** Beyond its deadline a change that nothing ends is ended here. */
const overdueSeconds = 120;

/**
 * Continues a change that its request, its execution or its watcher left behind.
 * @param requestsEndedBefore no request that began before (Unix seconds) can still be under way
 * @param ask of a caller that looks at many changes
 */
export async function reconcileChange(changeId: string, requestsEndedBefore = 0, ask?: AskStatus): Promise<void> {
  const change = await findChange(changeId);
  if (change === undefined) return;
  const now = nowSeconds();
  if (change.status === "checking" || change.status === "abandoning") {
    if (isForgotten(change, requestsEndedBefore)) await abandonCreation(change);
    return;
  }
  if (change.deadline + overdueSeconds <= now) {
    await failChange(change, "the change did not finish in time; try again");
    return;
  }
  await resumeChange(change, ask);
  const waits = await waitsOf(change.clusterId);
  if (waits.some((wait) => wait.changeId === changeId)) await wakeWatcher(change.clusterId);
}
