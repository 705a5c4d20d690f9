import { ChangeSuperseded, requireCurrentChange } from "../../../shared/environments/changeControl.ts";
import { leaveCluster } from "../../../shared/environments/leaveCluster.ts";
import { dropSleepSchedule } from "../../../shared/environments/sleep/dropSleepSchedule.ts";
import { concludeChange } from "../../../shared/environments/store/changes.ts";
import { removeEnvironmentParts, removeEnvironmentWrites } from "../../../shared/environments/store/environments.ts";
import { continueProjectDeletion } from "../../../shared/lifecycle/startProjectDeletion.ts";
import { table } from "../../../shared/store/table.ts";
import { ConditionFailed } from "../../../shared/store/tableClient.ts";
import { tellingWhy } from "./tellingWhy.ts";

/** The end of a deletion: namespace or labels, then the records, the environment's own last (contract P 4.7, 17). */
export async function removeEnvironment(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  await tellingWhy(change, () => leaveCluster(change));
  await dropSleepSchedule(change);
  try {
    await removeEnvironmentParts(change);
    await table().write(...removeEnvironmentWrites(change), ...concludeChange(change, "done", ""));
  } catch (error) {
    // The same step ran twice and the other one was faster.
    if (error instanceof ConditionFailed) throw new ChangeSuperseded(changeId);
    throw error;
  }
  await continueProjectDeletion(change.projectKey);
}
