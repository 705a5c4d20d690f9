import * as z from "zod";
import { awaitDecision, finishJob, giveUpJob, startJobRun } from "../../../shared/workflows/tasks/jobSteps.ts";

const job = { ownerId: z.string(), taskId: z.int(), job: z.string() };
const taskToken = z.string();

const taskEvent = z.discriminatedUnion("task", [
  z.object({ task: z.literal("begin"), ...job, taskToken }),
  z.object({ task: z.literal("finish"), ...job }),
  z.object({ task: z.literal("timeOut"), ...job }),
  z.object({ task: z.literal("awaitDecision"), ...job, taskToken }),
  z.object({ task: z.literal("giveUp"), ...job, error: z.string() }),
]);

/** The task handlers of the state machine `job`; each may run twice with the same outcome. */
export async function handler(event: unknown): Promise<unknown> {
  const task = taskEvent.parse(event);
  switch (task.task) {
    case "begin":
      return startJobRun(task);
    case "finish":
      return finishJob(task, false);
    case "timeOut":
      return finishJob(task, true);
    case "awaitDecision":
      return awaitDecision(task);
    case "giveUp":
      return giveUpJob(task, task.error);
  }
}
