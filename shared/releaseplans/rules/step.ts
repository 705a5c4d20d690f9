import type { Alert } from "./alert.ts";
import type { HookEvent, Plan, PlanActor, PlannedTask } from "./plan.ts";

/** What an entry of the plan's log is about (contract D 2.12). */
export type LogTarget =
  | "release_plan"
  | "release_plan_status"
  | "metadata"
  | "release_job"
  | "approval"
  | "description"
  | "settings";
export type LogVerb = "create" | "update" | "delete" | "execute" | "retry" | "skip";

/** An entry of a plan's log, before it is stored. */
export interface LogEntry {
  by: PlanActor;
  verb: LogVerb;
  targetType: LogTarget;
  targetName: string;
  before?: unknown;
  after?: unknown;
  detail: string;
  /** Edition of the plan that an edit made. */
  edition?: number;
}

/** A plan with what was done to it, and what follows from that once it is stored. */
export interface Step {
  plan: Plan;
  log: readonly LogEntry[];
  /** Tasks that are no longer waited for. */
  cancels: readonly PlannedTask[];
  /** What external systems are to be told, in order. */
  hooks: readonly HookEvent[];
  /** What people are to be told besides. */
  alerts: readonly Alert[];
}

/** Why a call is refused: 400 for what does not fit the plan as it is, 403 for who may not. */
export interface Refusal {
  status: 400 | 403;
  /** For the caller. */
  refused: string;
  /** What changes nevertheless: a window that is found over, an approval that is void. */
  meanwhile?: Step;
}

export function refuse(refused: string, meanwhile?: Step): Refusal {
  return { status: 400, refused, ...(meanwhile && { meanwhile }) };
}

export function forbid(refused: string): Refusal {
  return { status: 403, refused };
}

export function isRefusal(outcome: Step | Refusal): outcome is Refusal {
  return "refused" in outcome;
}

/** A step to which nothing was done yet. */
export function stepFrom(plan: Plan): Step {
  return { plan, log: [], cancels: [], hooks: [], alerts: [] };
}

/** The step with another one behind it, which begins at its plan. */
export function followedBy(step: Step, next: (plan: Plan) => Step): Step {
  const { plan, log, cancels, hooks, alerts } = next(step.plan);
  return {
    plan,
    log: [...step.log, ...log],
    cancels: [...step.cancels, ...cancels],
    hooks: [...step.hooks, ...hooks],
    alerts: [...step.alerts, ...alerts],
  };
}
