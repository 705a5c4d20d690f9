import { completeTask } from "../../../shared/base/aws/states/stateMachines.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { table } from "../../../shared/base/store/table.ts";
import { ConditionFailed } from "../../../shared/base/store/tableClient.ts";
import { ChangeSuperseded, requireCurrentChange } from "../../../shared/environments/change/changeControl.ts";
import type { Change } from "../../../shared/environments/store/changes.ts";
import { putWait } from "../../../shared/environments/store/readinessWaits.ts";
import { setRollingOut } from "../../../shared/environments/store/statusNotes.ts";
import { wakeWatcher } from "../../../shared/environments/waits/wakeWatcher.ts";
import { workloadsToWaitFor } from "../../../shared/environments/waits/workloadsToWaitFor.ts";

interface Task {
  changeId: string;
  group: number;
  services: readonly string[];
  taskToken: string;
}

/**
 * Leaves the token of a group's readiness to the cluster watcher; a group without workloads is ready at once. From the
 * last group on the environment may be changed again.
 */
export async function awaitReady({ changeId, group, services, taskToken }: Task): Promise<void> {
  const change = await requireCurrentChange(changeId);
  if (group === change.groups.length - 1) await noteRollingOut(change);
  const workloads = await workloadsToWaitFor(change, services);
  if (workloads.length === 0) {
    await completeTask(taskToken, {});
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

async function noteRollingOut(change: Change): Promise<void> {
  try {
    await table().write(setRollingOut(change));
  } catch (error) {
    if (error instanceof ConditionFailed) throw new ChangeSuperseded(change.changeId);
    throw error;
  }
}
