import { findJob } from "../../records/findTasks.ts";
import type { Approval } from "../../records/rules/approval.ts";
import { approvalOutcome } from "../../records/rules/approval.ts";
import type { JobEnd } from "../../records/task.ts";
import { failed, type JobRunner, passed, stopped } from "../runner.ts";
import type { ApprovalRun } from "./planner.ts";

/** Waits for people: each approver decides once through the API (contract W 8.6). */
export const approvalRunner: JobRunner = {
  begin: async ({ job, run }) => {
    const { type, approval: stated } = run as unknown as ApprovalRun;
    if (type !== "native") return failed(`approvals of type ${type} cannot be run here; use native`);
    const approval: Approval = job.approval ?? stated;
    // Begun once more after a crash: what people decide meanwhile stands in the record, and stays.
    const set = job.approval === undefined ? { approval } : {};
    return endOf(approval) ?? { waits: true, status: "wait_for_approval", set };
  },
  finish: async ({ task, job }, why) => {
    if (why === "cancelled") return stopped(why);
    const current = await findJob(task.owner.id, task.taskId, job.name);
    const decided = current?.approval && endOf(current.approval);
    // Who decided in time may have died before telling.
    return decided ?? stopped(why === "timeout" ? why : "cancelled");
  },
};

/** Undefined while it is open. */
function endOf(approval: Approval): JobEnd | undefined {
  const outcome = approvalOutcome(approval);
  if (outcome === "passed") return passed();
  return outcome === "reject" ? { ...failed(""), ending: "reject" } : undefined;
}
