import * as z from "zod";
import { EnvironmentProblem, reasonOf } from "../../../shared/environments/failures.ts";
import { putToSleep } from "../../../shared/environments/sleep/putToSleep.ts";
import { wakeUp } from "../../../shared/environments/sleep/wakeUp.ts";
import { applyService } from "./applyService.ts";
import { awaitReady } from "./awaitReady.ts";
import { conclude } from "./conclude.ts";
import { giveUp } from "./giveUp.ts";
import { prepare } from "./prepare.ts";
import { removeEnvironment } from "./removeEnvironment.ts";
import { removeService } from "./removeService.ts";

const changeId = z.string();
const service = z.string();

const taskEvent = z.discriminatedUnion("task", [
  z.object({ task: z.literal("prepare"), changeId }),
  z.object({ task: z.literal("applyService"), changeId, service }),
  z.object({
    task: z.literal("awaitReady"),
    changeId,
    group: z.int(),
    services: z.array(z.string()),
    taskToken: z.string(),
  }),
  z.object({ task: z.literal("sleep"), changeId }),
  z.object({ task: z.literal("wake"), changeId }),
  z.object({ task: z.literal("conclude"), changeId }),
  z.object({ task: z.literal("removeService"), changeId, service }),
  z.object({ task: z.literal("removeEnvironment"), changeId }),
  z.object({ task: z.literal("giveUp"), changeId, error: z.string() }),
]);

/**
 * The task handlers of the state machine `environment-change`; each may run twice with the same outcome. What a cluster
 * refuses fails in words for users.
 */
export async function handler(event: unknown): Promise<unknown> {
  const task = taskEvent.parse(event);
  try {
    return await run(task);
  } catch (error) {
    const reason = reasonOf(error);
    throw reason === undefined ? error : new EnvironmentProblem(reason);
  }
}

function run(task: z.infer<typeof taskEvent>): Promise<unknown> {
  switch (task.task) {
    case "prepare":
      return prepare(task.changeId);
    case "applyService":
      return applyService(task.changeId, task.service);
    case "awaitReady":
      return awaitReady(task);
    case "sleep":
      return putToSleep(task.changeId);
    case "wake":
      return wakeUp(task.changeId);
    case "conclude":
      return conclude(task.changeId);
    case "removeService":
      return removeService(task.changeId, task.service);
    case "removeEnvironment":
      return removeEnvironment(task.changeId);
    case "giveUp":
      return giveUp(task.changeId, task.error);
  }
}
