import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import type { Task } from "../../workflows/records/task.ts";
import { taskEnded } from "../rules/jobCalls.ts";
import { writeWithEffects } from "./pendingEffects.ts";
import { findPlan, planWrites } from "./plans.ts";

/** Writes the end of a task that a plan started into the plan, with what follows from it; may be repeated. */
export async function recordTaskEnd({ releasePlan, taskId, status, endTime }: Task): Promise<void> {
  if (releasePlan === undefined) return;
  await retryOnConflict(async () => {
    const stored = await findPlan(releasePlan.planId);
    if (stored === undefined) return;
    const step = taskEnded(stored, { jobId: releasePlan.jobId, taskId, status, endedAt: endTime });
    if (step !== undefined) await writeWithEffects(stored, step, () => table().write(...planWrites(stored, step)));
  });
}
