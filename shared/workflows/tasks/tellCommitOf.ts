import { commitStateOf } from "../../notify/rules/commitStatus.ts";
import { taskUrl } from "../../notify/taskUrl.ts";
import { tellCommit } from "../../notify/tellCommit.ts";
import { config } from "../../settings/config.ts";
import type { Task } from "../records/task.ts";
import { eventOfTask } from "./notifyTask.ts";

/** Shows the status of a task at the commit that started it; never fails, and may be repeated. */
export async function tellCommitOf(task: Task): Promise<void> {
  const { commit, owner, taskId, recordId, retryNum } = task;
  const event = eventOfTask(task);
  if (commit === undefined || event === undefined) return;
  const said = commitStateOf(event, taskId);
  if (said === undefined) return;
  const baseUrl = config().SLIPWAY_CONSOLE_ADDRESS;
  const about = {
    ...{ taskRecordId: recordId, attempt: retryNum, taskId, baseUrl },
    ...{ projectKey: owner.projectKey, workflowKey: owner.key },
  };
  await tellCommit(about, { ...commit, ...said, link: baseUrl === "" ? "" : taskUrl(owner, taskId) }, event);
}
