import * as z from "zod";
import { deployJobService } from "../../../shared/environments/deploy/deployJobService.ts";
import { reasonOf } from "../../../shared/environments/failures.ts";
import { type ReleaseToAdopt, readRelease } from "../../../shared/environments/helm/adoptRelease.ts";
import { applyRelease } from "../../../shared/environments/helm/applyRelease.ts";
import type { ReleasePlace } from "../../../shared/environments/helm/releaseProxy.ts";
import { type ReleaseToRender, renderRelease } from "../../../shared/environments/helm/renderRelease.ts";
import { runTests } from "../../../shared/environments/helm/runTests.ts";
import { readReleaseValues, removeRelease } from "../../../shared/environments/helm/standingRelease.ts";
import { isServiceTrouble } from "../../../shared/errors/serviceTrouble.ts";
import { ChartProblem } from "../../../shared/helm/chartProblem.ts";
import { type ChartToLint, lintChart } from "../../../shared/helm/lintChart.ts";
import { findTask } from "../../../shared/workflows/records/findTasks.ts";

const taskEvent = z.discriminatedUnion("task", [
  z.object({ task: z.literal("apply"), changeId: z.string(), service: z.string() }),
  z.object({ task: z.literal("test"), changeId: z.string() }),
  z.object({
    task: z.literal("deploy"),
    deploy: z.string(),
    ownerId: z.string(),
    taskId: z.int(),
    job: z.string(),
  }),
  z.object({ task: z.literal("lint"), asked: z.custom<ChartToLint>(isObject) }),
  z.object({ task: z.literal("render"), asked: z.custom<ReleaseToRender>(isObject) }),
  z.object({ task: z.literal("values"), asked: z.custom<ReleasePlace>(isObject) }),
  z.object({ task: z.literal("uninstall"), asked: z.custom<ReleasePlace>(isObject) }),
  z.object({ task: z.literal("standing"), asked: z.custom<ReleaseToAdopt>(isObject) }),
]);

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/**
 * Everything that Helm does, in the one function that has it (decisions 11.3). The caller gets the answer, the problem in
 * words for users, or what service fails; a step of a state machine has none, for it notes what became of it.
 */
export async function handler(event: unknown): Promise<unknown> {
  const task = taskEvent.parse(event);
  if (task.task === "apply") return applyRelease(task.changeId, task.service);
  if (task.task === "test") return runTests(task.changeId);
  if (task.task === "deploy") {
    const { deploy, ownerId, taskId } = task;
    return deployJobService(deploy, async () => (await findTask(ownerId, taskId))?.status === "cancelled");
  }
  try {
    return { answer: await answerTo(task) };
  } catch (error) {
    const problem = error instanceof ChartProblem ? error.message : reasonOf(error);
    if (problem !== undefined) return { problem };
    if (isServiceTrouble(error)) return { trouble: String(error) };
    throw error;
  }
}

function answerTo(task: Exclude<z.infer<typeof taskEvent>, { task: "apply" | "test" | "deploy" }>): Promise<unknown> {
  switch (task.task) {
    case "lint":
      return lintChart(task.asked);
    case "render":
      return renderRelease(task.asked);
    case "values":
      return readReleaseValues(task.asked);
    case "uninstall":
      return removeRelease(task.asked);
    case "standing":
      return readRelease(task.asked);
  }
}
