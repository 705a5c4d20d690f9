import * as z from "zod";
import {
  armPlan,
  awaitPlan,
  concludeRound,
  continueRound,
  giveUpRound,
} from "../../../shared/releaseplans/machineSteps.ts";

const round = { planId: z.string(), round: z.int() };

const taskEvent = z.discriminatedUnion("task", [
  z.object({ task: z.literal("awaitStart"), ...round, taskToken: z.string() }),
  z.object({ task: z.literal("arm"), ...round }),
  z.object({ task: z.literal("awaitEnd"), ...round, taskToken: z.string() }),
  z.object({ task: z.literal("conclude"), ...round }),
  z.object({ task: z.literal("continue"), ...round }),
  z.object({ task: z.literal("giveUp"), ...round, error: z.string() }),
]);

/** The task handlers of the state machine `release-plan`; each may run twice with the same outcome. */
export async function handler(event: unknown): Promise<void> {
  const task = taskEvent.parse(event);
  switch (task.task) {
    case "awaitStart":
      return awaitPlan("start", task);
    case "arm":
      return armPlan(task);
    case "awaitEnd":
      return awaitPlan("end", task);
    case "conclude":
      return concludeRound(task);
    case "continue":
      return continueRound(task);
    case "giveUp":
      return giveUpRound(task, task.error);
  }
}
