import { log } from "../../settings/log.ts";
import { concludeTask } from "./concludeTask.ts";
import type { TaskRun } from "./nextStep.ts";

/** The machinery failed at the task: it ends failed and says so; it can be retried. */
export async function giveUpTask(run: TaskRun, cause: string): Promise<void> {
  log.error("task given up", { ...run, internal: cause.slice(0, 2000) });
  await concludeTask(run, `the platform failed (task ${run.taskId}); retry it`);
}
