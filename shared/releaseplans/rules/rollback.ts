import { changeStatus } from "./changeStatus.ts";
import { type Call, managerRefusal, runningTasks } from "./jobs.ts";
import { type Plan, type PlanActor, systemActor } from "./plan.ts";
import type { PlanJobStatus, PlanStatus } from "./status.ts";
import { type LogEntry, type Refusal, refuse, type Step, stepFrom } from "./step.ts";

/** Statuses from which a plan is rolled back: its jobs ran, and planning has not started again. */
const fromStatuses: readonly PlanStatus[] = [
  "executing",
  "timeout",
  "wait_for_all_done_external_check",
  "wait_for_all_done_external_check_failed",
  "success",
  "cancel",
];

export function isRollingBack({ rollback }: Pick<Plan, "rollback">): boolean {
  return rollback?.over === false;
}

/** What is kept of a service that the plan deployed, as far as it decides what a rollback does with it. */
interface Deployed {
  outcome?: { round: number; attempt: number; status: "running" | "done" | "failed" | "skipped" };
}

/** What the job is called that shows the rollback of a service. */
export function rollbackName({ service, envKey }: { service: string; envKey: string }): string {
  return `rollback ${service} in ${envKey}`;
}

/**
 * The status of a service in the plan's rollback; undefined for a service that an earlier round took back and that was
 * not deployed since. What failed, or was left as it is, is tried again when the plan is rolled back once more.
 */
export function rollbackStatus(
  { round, rollback }: Pick<Plan, "round" | "rollback">,
  { outcome }: Deployed,
): Exclude<PlanJobStatus, ""> | undefined {
  if (outcome === undefined) return "todo";
  if (outcome.round !== round) return outcome.status === "done" ? undefined : "todo";
  return outcome.status === "done" || outcome.attempt === rollback?.attempt ? outcome.status : "todo";
}

/**
 * The plan's manager, or an administrator, takes back what the plan deployed.
 * @param deployed everything that its tasks changed
 */
export function callRollback(plan: Plan, call: Call, deployed: readonly Deployed[]): Step | Refusal {
  const refusal = managerRefusal(plan, call);
  if (refusal !== undefined) return refusal;
  if (isRollingBack(plan)) return refuse(`the plan ${plan.name} is being rolled back already`);
  if (!fromStatuses.includes(plan.status)) return refuse(`plan status is ${plan.status}, can not roll back`);
  if (deployed.length === 0) return refuse(`no task of the plan ${plan.name} has deployed anything; cancel it instead`);
  if (deployed.every(({ outcome }) => outcome?.status === "done"))
    return refuse(`everything that the plan ${plan.name} deployed has gone back already`);
  return rollBack({ ...plan, lastCaller: call.by }, call.by, "rolled back by call", call.now);
}

/** A job failed, and the settings ask for a rollback then. */
export function rollBackAfter(plan: Plan, jobName: string, now: number): Step {
  return rollBack(plan, systemActor, `rolled back because job ${jobName} failed`, now);
}

/** Ends the plan: nothing of it starts from here on, its tasks are cancelled, and then services go back. */
function rollBack(plan: Plan, by: PlanActor, detail: string, now: number): Step {
  const attempt = (plan.rollback?.attempt ?? 0) + 1;
  const changes = { rollback: { attempt, by, startedAt: now, over: false }, starting: null };
  const entry = { by, verb: "update", targetType: "release_plan", targetName: plan.name, detail } as const;
  const step: Step =
    plan.status === "cancel"
      ? { ...stepFrom({ ...plan, ...changes }), log: [entry] }
      : changeStatus(plan, "cancel", by, detail, changes);
  return { ...step, cancels: runningTasks(plan.jobs) };
}

/** The log says of one service what became of it. */
export function serviceRolledBack(
  plan: Plan,
  name: string,
  { status, reason }: { status: "running" | "done" | "failed" | "skipped"; reason: string },
): Step {
  const by = plan.rollback?.by ?? systemActor;
  const details = { running: "goes back", done: "went back", failed: `did not go back: ${reason}`, skipped: reason };
  const entry: LogEntry = {
    ...{ by, verb: "execute", targetType: "release_job", targetName: name },
    ...{ after: { type: "rollback", status }, detail: details[status] },
  };
  return { ...stepFrom({ ...plan }), log: [entry] };
}

/** Nothing is left to go back. */
export function endRollback(plan: Plan, statuses: readonly string[]): Step {
  if (plan.rollback === null) return stepFrom(plan);
  const { by } = plan.rollback;
  const count = (status: string) => statuses.filter((one) => one === status).length;
  const detail =
    statuses.length === 0
      ? "the rollback is over: no task of the plan had deployed anything"
      : `the rollback is over: ${count("done")} of ${statuses.length} services went back, ${count("failed")} failed, ${count("skipped")} were left as they are`;
  const entry: LogEntry = { by, verb: "update", targetType: "release_plan", targetName: plan.name, detail };
  return { ...stepFrom({ ...plan, rollback: { ...plan.rollback, over: true } }), log: [entry] };
}

/** What is known of a service that the plan deployed, and of its versions since. */
interface Since {
  deploy: {
    service: string;
    isNew: boolean;
    before: number;
    tasks: readonly { workflowKey: string; taskId: number }[];
    deployers: readonly string[];
    madeByRollback: readonly number[];
  };
  versions: readonly {
    revision: number;
    operation: string;
    createBy: string;
    workflowKey?: string;
    taskId?: number;
  }[];
  /** The try of a job that deployed it last; undefined while a change of the environment was the last. */
  deployedBy: string | undefined;
}

/** @returns why a rollback leaves a service as it is, for readers of the job; undefined when it may go back */
export function reasonToLeave({ deploy, versions, deployedBy }: Since): string | undefined {
  const { service, isNew, before, tasks, deployers, madeByRollback } = deploy;
  if (isNew)
    return `the plan brought the service ${service}; it stays, because its data would go with it: delete it by hand`;
  if (before === 0) return `the service ${service} has no version from before the plan; it stays as it is`;
  const byHand = "it stays as it is: go back by hand where you mean to";
  const foreign = versions.find(({ revision, workflowKey, taskId }) => {
    const isOurs = tasks.some((task) => task.workflowKey === workflowKey && task.taskId === taskId);
    return revision > before && !isOurs && !madeByRollback.includes(revision);
  });
  if (foreign !== undefined)
    return `${foreign.createBy} has changed the service ${service} since: version ${foreign.revision} (${foreign.operation}); ${byHand}`;
  if (deployedBy === undefined || deployers.includes(deployedBy)) return undefined;
  return `a task that is not of the plan has deployed the service ${service} since; ${byHand}`;
}
