import { ApiError } from "../base/errors/apiError.ts";
import { nowSeconds } from "../base/store/ids.ts";
import { startJob } from "./actOnJob.ts";
import { changePlan } from "./changePlan.ts";
import { findPlan } from "./records/plans.ts";
import { jobsToStart } from "./rules/dependencies.ts";
import { stepFrom } from "./rules/step.ts";
import { startFailed } from "./rules/times.ts";
import { isInsideWindow } from "./rules/window.ts";

/**
 * Starts the jobs of a plan that start by themselves now, one after the other in the order of the plan; several may do so
 * at once. The first that cannot be started ends this, with an entry in the log; those before it run on.
 * @throws ApiError 409 when others change the plan or the workflow all the time: what is owed is done later
 */
export async function startJobs(planId: string): Promise<void> {
  for (;;) {
    const plan = await findPlan(planId);
    if (plan?.status !== "executing" || !plan.starting || !isInsideWindow(plan, nowSeconds())) return;
    const [job] = jobsToStart(plan.jobs, plan.settings);
    if (job === undefined) return;
    const call = { by: plan.starting, isAdministrator: true, now: nowSeconds(), jobId: job.id, type: job.type };
    try {
      await startJob(planId, call);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!(await isToDo(planId, job.id))) continue;
      if (error.code === 409 && error.extra.freeze === undefined) throw error;
      await changePlan(planId, (now) =>
        now.starting === null ? stepFrom(now) : startFailed(now, job.name, error.description),
      );
      return;
    }
  }
}

/** Whether no other call has started the job meanwhile. */
async function isToDo(planId: string, jobId: string): Promise<boolean> {
  const plan = await findPlan(planId);
  return plan?.jobs.some(({ id, status }) => id === jobId && status === "todo") === true;
}
