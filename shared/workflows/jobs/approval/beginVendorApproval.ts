import { type GivenQuestion, questionOf } from "../../../approvals/rules/givenQuestion.ts";
import type { VendorType } from "../../../approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../../approvals/rules/vendorFields.ts";
import { pendingOpening } from "../../../approvals/store/pendingApprovals.ts";
import { invokeLater } from "../../../aws/functions/invokeLater.ts";
import { mustLack } from "../../../store/conditions.ts";
import { nowSeconds } from "../../../store/ids.ts";
import { table } from "../../../store/table.ts";
import { tryWrite } from "../../../store/tryWrite.ts";
import { onlyIf } from "../../../store/writes.ts";
import { changeJob } from "../../records/records.ts";
import { newRound } from "../../records/rules/taskApproval.ts";
import { tryName } from "../../records/rules/tryName.ts";
import type { JobEnd } from "../../records/task.ts";
import { failed, type JobRun, type Waiting } from "../runner.ts";
import { questionProblems, questionText } from "./vendorQuestion.ts";

/**
 * Lets a chat service be asked, once for each try of the job: the write that begins the round owes its opening. What is
 * asked is what people see of the job, so that no credential gets there.
 */
export async function beginVendorApproval(run: JobRun, type: VendorType): Promise<JobEnd | Waiting> {
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
