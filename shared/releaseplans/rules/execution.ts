import { changeStatus } from "./changeStatus.ts";
import { areOver, armed } from "./jobs.ts";
import { type HookEvent, type Plan, type PlanActor, systemActor } from "./plan.ts";
import { followedBy, type Step, stepFrom } from "./step.ts";

/** What an external system hears of an event, and whether the plan waits for its answer (contract D 2.13). */
export function hooked({ hooks }: Plan, event: HookEvent): { told: HookEvent[]; waits: boolean } {
  const isTold = hooks?.enable === true && hooks.events.includes(event);
  return { told: isTold ? [event] : [], waits: isTold && hooks.enableCallBack };
}

/** Execution begins, or waits for an external system that must agree first. */
export function startPlanExecution(plan: Plan, by: PlanActor, now: number, detail: string): Step {
  const { told, waits } = hooked(plan, "start_execute");
  if (!waits) {
    const step = arm(plan, by, now, detail);
    return { ...step, hooks: [...told, ...step.hooks] };
  }
  const times = { executingTime: now, executeCheckTime: now };
  return { ...changeStatus(plan, "wait_for_execute_external_check", by, detail, times), hooks: told };
}

/** Jobs may run from here on. When all of them were done before, the plan ends at once. */
export function arm(plan: Plan, by: PlanActor, now: number, detail: string): Step {
  const starting = plan.settings.autoExecute ? plan.lastCaller : null;
  const jobs = armed(plan.jobs);
  const executing = changeStatus(plan, "executing", by, detail, {
    executingTime: now,
    jobs,
    starting,
    scheduleRunTime: 0,
  });
  return followedBy(executing, (next) => complete(next, now));
}

/** The plan with its end, when all its jobs have ended; a failed job does not hold it up, and is counted in the log. */
export function complete(plan: Plan, now: number): Step {
  if (!areOver(plan.jobs)) return stepFrom(plan);
  const failed = plan.jobs.filter(({ status }) => status === "failed").length;
  const detail = failed === 0 ? "all jobs are over" : `all jobs are over, ${failed} of ${plan.jobs.length} failed`;
  const { told, waits } = hooked(plan, "all_job_done");
  const step = waits
    ? changeStatus(plan, "wait_for_all_done_external_check", systemActor, detail, { allDoneCheckTime: now })
    : changeStatus(plan, "success", systemActor, detail, { successTime: now });
  return { ...step, hooks: told };
}
