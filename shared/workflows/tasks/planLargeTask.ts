import { ApiError } from "../../base/errors/apiError.ts";
import { isServiceTrouble } from "../../base/errors/serviceTrouble.ts";
import { both, mustBeOneOf } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { changeTask } from "../records/changeTask.ts";
import type { WholeTask } from "../records/findTasks.ts";
import { planRun } from "./planRun.ts";

/**
 * Plans a large task, in its machine; may be repeated.
 * @returns whether it has a plan now, or was cancelled meanwhile; where it cannot run, its `error` says why
 */
export async function planLargeTask(whole: WholeTask): Promise<boolean> {
  const { task } = whole;
  const isSame = both(mustBeOneOf("attempt", [task.attempt]), mustBeOneOf("status", [task.status]));
  try {
    const writes = await planRun(whole);
    await tryWrite(table().write(changeTask(task, { unplanned: false }, isSame), ...writes));
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || isServiceTrouble(error)) throw error;
    return !(await tryWrite(table().write(changeTask(task, { error: error.description }, isSame))));
  }
}
