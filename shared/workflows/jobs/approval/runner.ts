import { invokeLater } from "../../../base/aws/functions/invokeLater.ts";
import { mustLack } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { onlyIf } from "../../../base/store/writes.ts";
import { type GivenQuestion, questionOf } from "../../../integrations/approvals/rules/givenQuestion.ts";
import { isVendorType, type VendorType } from "../../../integrations/approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../../integrations/approvals/rules/vendorFields.ts";
import { pendingOpening } from "../../../integrations/approvals/store/pendingApprovals.ts";
import { findJob } from "../../records/findTasks.ts";
import { changeJob } from "../../records/records.ts";
import { approvalError, newRound, type TaskApproval, taskApprovalOutcome } from "../../records/rules/taskApproval.ts";
import { tryName } from "../../records/rules/tryName.ts";
import type { JobEnd } from "../../records/task.ts";
import { missingApprovers } from "../people.ts";
import { failed, type JobRun, type JobRunner, passed, stopped, type Waiting } from "../runner.ts";
import type { ApprovalRun } from "./planner.ts";
import { questionProblems, questionText } from "./vendorQuestion.ts";

/** Waits for people: each approver decides once through the API, or at a chat service (contract W 8.6). */
export const runner: JobRunner = {
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

/**
 * Lets a chat service be asked, once for each try of the job: the write that begins the round owes its opening. What is
 * asked is what people see of the job, so that no credential gets there.
 */
async function beginVendorApproval(run: JobRun, type: VendorType): Promise<JobEnd | Waiting> {
  const { task, job, plan, spec } = run;
  const key = tryName(job);
  const owner = { ownerId: task.owner.id, taskId: task.taskId, job: job.name, key };
  if (job.approval === undefined) {
    const given = (spec[vendorFields[type]] ?? {}) as GivenQuestion;
    const problems = questionProblems(type, given);
    if (problems.length > 0) return failed(problems.join("; "));
    const text = questionText(task, plan.displayName, [spec.approval_title, spec.description, spec.approval_message]);
    const approval = newRound(key, questionOf(type, given), text, nowSeconds());
    const change = changeJob(task, job, { set: { approval } });
    // Lost: the execution before this one was still at it.
    await tryWrite(table().write(onlyIf(mustLack("approval"), change), pendingOpening(owner)));
  }
  await invokeLater("approval-follower", owner);
  return { waits: true, status: "wait_for_approval" };
}
