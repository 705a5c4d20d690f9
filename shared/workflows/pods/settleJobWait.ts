import { settleTask } from "../../aws/states/stateMachines.ts";
import { type JobWait, removeJobWait } from "../../kube/waits/jobWaits.ts";

/** Lets the state machine go on and forgets the wait; a token that nobody waits on any more is no error. */
export async function settleJobWait(wait: JobWait): Promise<void> {
  await settleTask(wait.taskToken, {});
  await removeJobWait(wait);
}
