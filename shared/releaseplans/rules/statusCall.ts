import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import type { Approver } from "../../workflows/records/rules/approval.ts";
import { approvalRefusal, startApproval, undecided } from "./approval.ts";
import { changeStatus } from "./changeStatus.ts";
import { hooked, startPlanExecution } from "./execution.ts";
import { type Call, disarmed, managerRefusal, runningTasks } from "./jobs.ts";
import type { Plan, PlanHooks } from "./plan.ts";
import { type PlanStatus, statusCallRefusal } from "./status.ts";
import { type Refusal, refuse, type Step } from "./step.ts";
import { missedSchedule } from "./window.ts";

/** What a status call brings beside its target, read for it. */
export interface StatusCall extends Call {
  to: PlanStatus;
  /** Names a round of the approval, or planned content. */
  newCode: string;
  /** For `planning`: the hooks' setting of now. */
  hooks: PlanHooks | null;
  /** For `finish_planning`: what each workflow job would run now, by its id. */
  specs: ReadonlyMap<string, StoredText>;
  /** For `wait_for_approval`: everybody whom the approval names, groups expanded. */
  people: readonly Approver[];
}

/** The plan's manager, or an administrator, moves it on (contract D 2.3); what the table does not have is refused. */
export function statusCall(before: Plan, call: StatusCall): Step | Refusal {
  const plan: Plan = { ...before, lastCaller: call.by };
  const refused = statusCallRefusal(plan.status, call.to);
  const refusal = managerRefusal(plan, call) ?? (refused === undefined ? undefined : refuse(refused));
  if (refusal !== undefined) return refusal;
  const { by, now } = call;
  switch (call.to) {
    case "planning":
      return replan(plan, call);
    case "finish_planning":
      return finishPlanning(plan, call);
    case "wait_for_approval":
      return startApproval(plan, call.people, call.newCode, call);
    case "executing":
      return (
        approvalRefusal(plan) ?? scheduleRefusal(plan, now) ?? startPlanExecution(plan, by, now, "execution started")
      );
    case "success": {
      // A hook that is only told hears of every success; one that is asked is not asked about a final decision.
      const { told, waits } = hooked(plan, "all_job_done");
      const step = changeStatus(plan, "success", by, "ended by its manager", { successTime: now });
      return { ...step, hooks: waits ? [] : told };
    }
    default:
      return { ...changeStatus(plan, call.to, by, "cancelled by its manager"), cancels: runningTasks(plan.jobs) };
  }
}

/** Nothing would ever start by itself, and no one would learn why. */
function scheduleRefusal(plan: Plan, now: number): Refusal | undefined {
  const missed = missedSchedule(plan, now);
  return missed === undefined ? undefined : refuse(`schedule_execute_time ${missed}`);
}

function finishPlanning(plan: Plan, { by, now, specs }: StatusCall): Step | Refusal {
  if (plan.jobs.length === 0)
    return refuse("plan must not have no jobs; give it one by PATCH or by the verb create_release_job");
  const jobs = plan.jobs.map((job) => ({ ...job, spec: specs.get(job.id) ?? job.spec }));
  const left = { jobs, planningTime: now, round: plan.round + 1 };
  const { told, waits } = hooked(plan, "finish_planning");
  const step = waits
    ? changeStatus(plan, "wait_for_finish_planning_external_check", by, "planning finished", {
        ...left,
        finishPlanningCheckTime: now,
      })
    : changeStatus(plan, "finish_planning", by, "planning finished", { ...left, finishPlanningTime: now });
  return { ...step, hooks: told };
}

/** Planning begins again (contract D 2.5): nothing of the round before counts, but tasks that passed. */
function replan(plan: Plan, { by, newCode, hooks }: StatusCall): Step {
  const jobs = disarmed(plan.jobs);
  const step = changeStatus(plan, "planning", by, "planning started again", { ...atFirst(plan, newCode, hooks), jobs });
  return { ...step, cancels: runningTasks(plan.jobs) };
}

/** What a plan has whenever planning begins. */
export function atFirst({ approval }: Pick<Plan, "approval">, instanceCode: string, hooks: PlanHooks | null) {
  return {
    ...{ planningTime: 0, finishPlanningTime: 0, approvalTime: 0, executingTime: 0, successTime: 0 },
    ...{ finishPlanningCheckTime: 0, approveCheckTime: 0, executeCheckTime: 0, allDoneCheckTime: 0 },
    ...{ checkFailedReason: "", callbackDescription: "", requester: "", editors: [] },
    ...{ starting: null, scheduleRunTime: 0, rollback: null },
    ...{ instanceCode, hooks, approval: approval === null ? null : undecided(approval) },
  };
}
