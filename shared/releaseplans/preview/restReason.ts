import type { Plan, PlanJob } from "../rules/plan.ts";

/** Why a job of a plan does not run again as things stand; undefined when it may. */
export function restReason({ status }: Plan, job: PlanJob): string | undefined {
  const task = job.workflow?.taskId === undefined ? "" : ` by task ${job.workflow.taskId}`;
  if (job.status === "running") return `it runs now${task}`;
  if (job.status === "done") return `it was done${task} and does not run again`;
  if (job.status === "skipped") return "it was skipped and does not run";
  if (job.status === "todo" && job.lastStatus === "done" && !job.updated && status !== "executing")
    return `it was done${task} before planning began again and was not edited since: it does not run again`;
  if (status === "cancel") return "the plan is cancelled: nothing runs";
  return undefined;
}
