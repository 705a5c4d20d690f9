import { undecided } from "./approval.ts";
import { changeStatus } from "./changeStatus.ts";
import { runningTasks } from "./jobs.ts";
import type { Plan, PlanActor, PlanHooks, PlanJob } from "./plan.ts";
import { isRollingBack } from "./rollback.ts";
import { editRefusal, replacementRefusal } from "./status.ts";
import { atFirst } from "./statusCall.ts";
import { followedBy, type LogEntry, type Refusal, refuse, type Step, stepFrom } from "./step.ts";

/** What people write of a plan. */
export type PlanContent = Pick<
  Plan,
  | "name"
  | "manager"
  | "managerId"
  | "description"
  | "startTime"
  | "endTime"
  | "scheduleExecuteTime"
  | "jiraSprintAssociation"
  | "approval"
  | "settings"
  | "notify"
  | "jobs"
>;

/** Who edits, when, and what of the system's goes with an edit. */
export interface Editing {
  by: PlanActor;
  /** Unix seconds. */
  now: number;
  /** Names the planned content for external systems. */
  newCode: string;
  hooks: PlanHooks | null;
}

/** A plan that nothing has been done with. */
export function newPlan(id: Pick<Plan, "planId" | "index">, content: PlanContent, editing: Editing): Step {
  const { by, now, newCode, hooks } = editing;
  const plan: Plan = {
    ...{ ...id, edition: 1, round: 0, status: "planning", lastCaller: by },
    ...content,
    ...{ createdBy: by.name, createdAt: now, updatedBy: by.name, updatedAt: now },
    ...atFirst(content, newCode, hooks),
    editors: [by.uid],
  };
  const entry: LogEntry = { by, verb: "create", targetType: "release_plan", targetName: plan.name, detail: "created" };
  return { ...stepFrom(plan), log: [{ ...entry, edition: 1 }] };
}

/** What one edit of a draft changes, and what the log says of it. */
export interface Edit {
  content: Partial<PlanContent>;
  entry: Pick<LogEntry, "verb" | "targetType" | "targetName" | "detail" | "before" | "after">;
}

/** An edit of a draft (contract D 2.9). One that changes nothing is taken and leaves no trace. */
export function edit(plan: Plan, { content, entry }: Edit, editing: Editing): Step | Refusal {
  const refused = editRefusal(plan.status);
  if (refused !== undefined) return refuse(refused);
  const next = decisionsCleared({ ...plan, ...content });
  if (JSON.stringify(next) === JSON.stringify(plan)) return stepFrom(plan);
  return edited(next, [entry], editing);
}

/**
 * A full replacement (contract D 2.7): the plan is a draft again, everything is to do, and running tasks are no longer
 * waited for. Jobs keep their ids by type and name, in order.
 */
export function replace(plan: Plan, content: PlanContent, editing: Editing): Step | Refusal {
  const refused = replacementRefusal(plan.status);
  if (refused !== undefined) return refuse(refused);
  if (isRollingBack(plan)) return refuse("the plan is being rolled back, can't update; wait until that is over");
  const jobs = withKnownIds(content.jobs, plan.jobs);
  const { newCode, hooks, by } = editing;
  const changed: Plan = { ...plan, ...content, jobs, ...atFirst(content, newCode, hooks), editors: plan.editors };
  const entry = { verb: "update", targetType: "release_plan", targetName: plan.name, detail: "replaced" } as const;
  const step = edited(changed, [entry], editing);
  const moved =
    plan.status === "planning" ? step : followedBy(step, (next) => changeStatus(next, "planning", by, "replaced"));
  return { ...moved, cancels: runningTasks(plan.jobs) };
}

function edited(plan: Plan, entries: readonly Edit["entry"][], { by, now, newCode, hooks }: Editing): Step {
  const edition = plan.edition + 1;
  const editors = [...new Set([...plan.editors, by.uid])];
  const changes = { edition, editors, updatedBy: by.name, updatedAt: now, instanceCode: newCode, hooks };
  return { ...stepFrom({ ...plan, ...changes }), log: entries.map((entry) => ({ ...entry, by, edition })) };
}

function decisionsCleared(plan: Plan): Plan {
  return plan.approval === null ? plan : { ...plan, approval: undecided(plan.approval) };
}

function withKnownIds(jobs: readonly PlanJob[], known: readonly PlanJob[]): PlanJob[] {
  const left = [...known];
  return jobs.map((job) => {
    const at = left.findIndex(({ type, name }) => type === job.type && name === job.name);
    const [same] = at < 0 ? [] : left.splice(at, 1);
    return same === undefined ? job : { ...job, id: same.id };
  });
}
