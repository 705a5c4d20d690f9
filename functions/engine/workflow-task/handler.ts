import * as z from "zod";
import { log } from "../../../shared/base/settings/log.ts";
import { awaitStageApproval } from "../../../shared/workflows/tasks/approveStage.ts";
import { concludeTask } from "../../../shared/workflows/tasks/end/concludeTask.ts";
import { nextStep, type TaskRun } from "../../../shared/workflows/tasks/nextStep.ts";
import { runJob } from "../../../shared/workflows/tasks/runJob.ts";
import { planLargeTask } from "../../../shared/workflows/tasks/start/planRun.ts";

const run = { ownerId: z.string(), taskId: z.int(), attempt: z.int() };
const taskToken = z.string();

const taskEvent = z.discriminatedUnion("task", [
  z.object({ task: z.literal("nextStep"), ...run }),
  z.object({ task: z.literal("awaitApproval"), ...run, stage: z.int(), taskToken }),
  z.object({ task: z.literal("runJob"), ...run, job: z.string(), taskToken }),
  z.object({ task: z.literal("conclude"), ...run }),
  z.object({ task: z.literal("giveUp"), ...run, error: z.string() }),
]);

/** The task handlers of the state machine `workflow-task`; each may run twice with the same outcome. */
export async function handler(event: unknown): Promise<unknown> {
  const task = taskEvent.parse(event);
  switch (task.task) {
    case "nextStep":
      return nextStep(task, planLargeTask);
    case "awaitApproval":
      return awaitStageApproval(task);
    case "runJob":
      return runJob(task);
    case "conclude":
      return concludeTask(task);
    case "giveUp":
      return giveUpTask(task, task.error);
  }
}

/** The machinery failed at the task: it ends failed and says so; it can be retried. */
async function giveUpTask(run: TaskRun, cause: string): Promise<void> {
  log.error("task given up", { ...run, internal: cause.slice(0, 2000) });
  await concludeTask(run, `the platform failed (task ${run.taskId}); retry it`);
}
