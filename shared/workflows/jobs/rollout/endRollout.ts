import { findRollout, removeRollout, type WorkloadPlace } from "../../../environments/store/rollouts.ts";
import { findTask } from "../../records/findTasks.ts";
import { isTaskFinal } from "../../records/rules/status.ts";
import { giveBack } from "./giveBack.ts";

const system = { uid: "", name: "system" };

/** Ends a rollout whose task has ended, however it ended (decisions 12.1); one that cannot end yet is checked again. */
export async function endRollout(place: WorkloadPlace): Promise<void> {
  const rollout = await findRollout(place);
  if (rollout === undefined) return;
  const task = await findTask(rollout.ownerId, rollout.taskId);
  if (task !== undefined && !isTaskFinal(task.status)) return;
  if (!(await giveBack(place, task?.creator ?? system))) return;
  const over = await findRollout(place);
  if (over !== undefined && over.owner === rollout.owner) await removeRollout(over);
}
