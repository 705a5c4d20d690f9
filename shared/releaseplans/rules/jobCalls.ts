import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { lapse } from "./approval.ts";
import { changeStatus } from "./changeStatus.ts";
import { awaited } from "./dependencies.ts";
import { complete } from "./execution.ts";
import { type Call, jobEntry, jobManagerRefusal, withJob } from "./jobs.ts";
import { type Plan, type PlanJob, systemActor } from "./plan.ts";
import { rollBackAfter } from "./rollback.ts";
import type { PlanStatus } from "./status.ts";
import { followedBy, type LogVerb, type Refusal, refuse, type Step, stepFrom } from "./step.ts";
import { endWindow, isInsideWindow, outsideWindow } from "./window.ts";

/** Which job a call means: its id decides, and the type must be the job's. */
export interface JobCall extends Call {
  jobId: string;
  type: string;
}

/** @returns the job that may be executed now, by this caller; otherwise why not (contract D 2.9) */
export function executableJob(plan: Plan, call: JobCall): PlanJob | Refusal {
  const job = actedOn(plan, call, ["executing"], "execute");
  if (isJobRefusal(job)) return job;
  if (job.status !== "todo" && (job.type === "text" || job.status !== "failed"))
    return refuse(job.type === "text" ? notToDo(job) : `job ${job.name} status ${job.status} can't execute`);
  const open = awaited(job, plan.jobs);
  if (open.length > 0) return refuse(`job ${job.name} waits for ${open.join(", ")}, which must be done or skipped`);
  return job;
}

/** A user did what a text job says. */
export function executeText(plan: Plan, call: JobCall, remark: StoredText): Step | Refusal {
  const job = executableJob(plan, call);
  if (isJobRefusal(job)) return job;
  return ended(plan, job, { ...done(call), remark, status: "done" }, call, "execute");
}

/** A new task of a workflow job was started. `job` is what `executableJob` let through. */
export function taskStarted(plan: Plan, job: PlanJob, taskId: number, call: Call): Step {
  return running(plan, job, taskId, call, "execute");
}

/** @returns the failed job whose task may run again, by this caller; otherwise why not */
export function retriableJob(plan: Plan, call: JobCall): (PlanJob & { taskId: number }) | Refusal {
  const job = actedOn(plan, call, ["executing", "success"], "retry");
  if (isJobRefusal(job)) return job;
  if (job.type === "text") return refuse("text release job does not support retry; execute it");
  if (job.status !== "failed") return refuse(`job ${job.name} status ${job.status} can't retry; only a failed one can`);
  const taskId = job.workflow?.taskId;
  return taskId === undefined ? refuse(`job ${job.name} has no task yet; execute it`) : { ...job, taskId };
}

/** The task of a job runs again; a plan that was over goes on. */
export function taskRetried(plan: Plan, job: PlanJob & { taskId: number }, call: Call): Step {
  const again =
    plan.status === "success"
      ? changeStatus(plan, "executing", call.by, `job ${job.name} is retried`, {
          successTime: 0,
          round: plan.round + 1,
        })
      : stepFrom(plan);
  return followedBy(again, (next) => running(next, job, job.taskId, call, "retry"));
}

/** A job that is to do is left out. @param remark of a text job, as its call says; undefined keeps what is there */
export function skipJob(plan: Plan, call: JobCall, remark: StoredText | undefined): Step | Refusal {
  const job = actedOn(plan, call, ["executing"], "skip");
  if (isJobRefusal(job)) return job.meanwhile?.plan.status === "timeout" ? refuse(job.refused) : job;
  if (job.status !== "todo") return refuse(notToDo(job));
  const changes = { ...done(call), status: "skipped", ...(job.type === "text" && remark && { remark }) } as const;
  return ended(plan, job, changes, call, "skip");
}

/** How a task that the plan started ended. */
export interface TaskEnd {
  jobId: string;
  taskId: number;
  status: string;
  /** Unix seconds. */
  endedAt: number;
}

/**
 * The end of a task of the plan; undefined when the job no longer runs that task. A plan whose last job ended at or
 * before the end of its window is a success, even when the end of the window was reported first.
 */
export function taskEnded(plan: Plan, { jobId, taskId, status, endedAt }: TaskEnd): Step | undefined {
  const job = plan.jobs.find(({ id }) => id === jobId);
  if (job?.workflow === undefined || job.status !== "running" || job.workflow.taskId !== taskId) return undefined;
  const workflow = { ...job.workflow, taskStatus: status };
  const after: PlanJob = { ...job, workflow, status: status === "passed" ? "done" : "failed" };
  const entry = jobEntry(systemActor, "update", job, after, `task ${taskId} ended ${status}`);
  const step: Step = { ...stepFrom(withJob(plan, after)), log: [entry] };
  if (plan.status !== "executing" && plan.status !== "timeout") return step;
  if (after.status === "failed" && plan.settings.rollbackOnFailure)
    return followedBy(step, (next) => rollBackAfter(next, job.name, endedAt));
  const isLate = plan.endTime !== 0 && endedAt > plan.endTime;
  return followedBy(step, (next) => (isLate ? (endWindow(next, endedAt) ?? stepFrom(next)) : complete(next, endedAt)));
}

/** The job of a call that its caller may act on now; a window that has ended, and a void approval, are found here. */
function actedOn(
  plan: Plan,
  call: JobCall,
  statuses: readonly PlanStatus[],
  verb: "execute" | "retry" | "skip",
): PlanJob | Refusal {
  const job = plan.jobs.find(({ id }) => id === call.jobId);
  if (job === undefined) return refuse(`id: job ${call.jobId} is not in the plan ${plan.name}`);
  const forbidden = jobManagerRefusal(plan, job, call);
  if (forbidden !== undefined) return forbidden;
  if (job.type !== call.type) return refuse(`type: job ${job.name} is of type ${job.type}, not ${call.type}`);
  if (!statuses.includes(plan.status))
    return refuse(
      `plan status is ${plan.status}, can not ${verb}; that is for a plan that is ${statuses.join(" or ")}`,
    );
  const lapsed = lapse(plan, call.now);
  if (lapsed !== undefined) return refuse("the approval is void, the plan must be approved again", lapsed);
  if (isInsideWindow(plan, call.now)) return job;
  return refuse(outsideWindow(plan), endWindow(plan, call.now));
}

function notToDo({ name, status }: PlanJob): string {
  return `job ${name} status is not todo: it is ${status || "not armed"}`;
}

export function isJobRefusal(job: PlanJob | Refusal): job is Refusal {
  return "refused" in job;
}

function done({ by, now }: Call) {
  return { executedBy: by.name, executedTime: now };
}

function ended(plan: Plan, job: PlanJob, changes: Partial<PlanJob>, { by, now }: Call, verb: LogVerb): Step {
  const after = { ...job, ...changes };
  const detail = verb === "skip" ? "skipped" : "done";
  const step: Step = { ...stepFrom(withJob(plan, after)), log: [jobEntry(by, verb, job, after, detail)] };
  return followedBy(updatedBy(step, by.name, now), (next) => complete(next, now));
}

function running(plan: Plan, job: PlanJob, taskId: number, call: Call, verb: LogVerb): Step {
  if (job.workflow === undefined) throw new Error(`job ${job.id} has no workflow`);
  const { taskId: _, ...before } = job as PlanJob & { taskId?: number };
  const workflow = { ...job.workflow, taskId, taskStatus: "prepare" };
  const after: PlanJob = { ...before, ...done(call), status: "running", workflow };
  const override = call.overrideReason === undefined ? "" : `, whatever is frozen: ${call.overrideReason}`;
  const entry = jobEntry(call.by, verb, before, after, `task ${taskId} started${override}`);
  return updatedBy({ ...stepFrom(withJob(plan, after)), log: [entry] }, call.by.name, call.now);
}

/** The user who acts on jobs is recorded as the last one to change the plan. */
function updatedBy(step: Step, name: string, now: number): Step {
  return { ...step, plan: { ...step.plan, updatedBy: name, updatedAt: now } };
}
