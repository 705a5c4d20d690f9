import { isVendorType } from "../../../approvals/rules/vendorApproval.ts";
import { findJob } from "../../records/findTasks.ts";
import { approvalError, type TaskApproval, taskApprovalOutcome } from "../../records/rules/taskApproval.ts";
import type { JobEnd } from "../../records/task.ts";
import { missingApprovers } from "../people.ts";
import { failed, type JobRunner, passed, stopped } from "../runner.ts";
import { beginVendorApproval } from "./beginVendorApproval.ts";
import type { ApprovalRun } from "./planner.ts";

/** Waits for people: each approver decides once through the API, or at a chat service (contract W 8.6). */
export const approvalRunner: JobRunner = {
  begin: async (jobRun) => {
    const { job, run } = jobRun;
    const { type, approval: stated } = run as unknown as ApprovalRun;
    // Started again after a crash: what was decided meanwhile is in the record, and is kept.
    const decided = endOf(job.approval ?? stated);
    if (isVendorType(type)) return (job.approval && decided) ?? beginVendorApproval(jobRun, type);
    if (decided !== undefined) return decided;
    const missing = await missingApprovers(job.approval ?? stated);
    if (missing !== undefined) return failed(missing);
    const set = job.approval === undefined ? { approval: stated } : {};
    return { waits: true, status: "wait_for_approval", set };
  },
  finish: async ({ task, job }, why) => {
    if (why === "cancelled") return stopped(why);
    const current = await findJob(task.owner.id, task.taskId, job.name);
    const decided = current?.approval && endOf(current.approval);
    // The process that recorded a decision in time may have died before reporting it.
    return decided ?? stopped(why === "timeout" ? why : "cancelled");
  },
};

/** Undefined while it is open. */
function endOf(approval: TaskApproval): JobEnd | undefined {
  switch (taskApprovalOutcome(approval)) {
    case undefined:
      return undefined;
    case "passed":
      return passed();
    case "reject":
      return { ...failed(""), ending: "reject" };
    case "failed":
      return failed(approvalError(approval));
  }
}
