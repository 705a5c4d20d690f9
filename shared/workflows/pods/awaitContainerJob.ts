import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { wakeWatcher } from "../../environments/waits/wakeWatcher.ts";
import { type JobWait, putJobWait } from "../../kube/waits/jobWaits.ts";

/**
 * Leaves a task token to the watcher of the job's cluster. It settles it with `{}` when the Job ended, vanished or is
 * stuck (contract W 11.1), or at the deadline; `collectContainerJob` says which. The reconciler finds what a watcher
 * that died left behind.
 */
export async function awaitContainerJob(wait: JobWait): Promise<void> {
  await putJobWait(wait);
  await enableReconciler();
  await wakeWatcher(wait.clusterId);
}
