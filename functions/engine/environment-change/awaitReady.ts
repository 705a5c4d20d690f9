import { settleTask } from "../../../shared/clients/states/stateMachines.ts";
import { config } from "../../../shared/config.ts";
import { awaitedWorkloads } from "../../../shared/environments/awaitedWorkloads.ts";
import { requireCurrentChange } from "../../../shared/environments/changeControl.ts";
import { wakeWatcher } from "../../../shared/environments/wakeWatcher.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";
import { putWait } from "../../../shared/store/readinessWaits.ts";

interface Task {
  changeId: string;
  group: number;
  services: readonly string[];
  taskToken: string;
}

/** Leaves the token of a group's readiness to the cluster watcher; a group without workloads is ready at once. */
export async function awaitReady({ changeId, group, services, taskToken }: Task): Promise<void> {
  const change = await requireCurrentChange(changeId);
  const workloads = await awaitedWorkloads(change, services);
  if (workloads.length === 0) {
    await settleTask(taskToken, {});
    return;
  }
  await putWait({
    waitId: `${changeId}#${group}`,
    clusterId: change.clusterId,
    changeId,
    environmentId: change.environmentId,
    namespace: change.namespace,
    workloads,
    taskToken,
    deadline: Math.min(nowSeconds() + config().SLIPWAY_READY_SECONDS, change.deadline),
  });
  await wakeWatcher(change.clusterId);
}
