import { questionOf } from "../../approvals/rules/givenQuestion.ts";
import type { TaskOwner } from "../../approvals/store/approvalInstances.ts";
import { nowSeconds } from "../../store/ids.ts";
import { questionProblems, questionText } from "../jobs/approval/vendorQuestion.ts";
import type { WholeTask } from "../records/findTasks.ts";
import { newRound } from "../records/rules/taskApproval.ts";
import type { StageApprovalPlan, StageRecord } from "../records/task.ts";
import { shownValues } from "./shownSpecs.ts";

/**
 * The approval of a stage as a chat service is asked for it, and the owner whose opening is pending; one that cannot be
 * asked for with the values of its variables fails at once. No credential is in it.
 */
export function beginStageRound(
  whole: WholeTask,
  stage: number,
  asks: NonNullable<StageApprovalPlan["asks"]>,
): Pick<StageRecord, "approval"> & { error?: string; owner?: TaskOwner } {
  const { task, plan } = whole;
  const { type, given } = shownValues(whole)(asks);
  const { name = "", approval: stated } = plan.stages[stage] ?? {};
  const key = `${task.recordId}-${stage}-${task.retryNum}`;
  const text = questionText(task, `stage ${name}`, [shownValues(whole)(stated?.description)]);
  const approval = newRound(key, questionOf(type, given), text, nowSeconds());
  const problems = questionProblems(type, given);
  if (problems.length === 0 || approval.vendor === undefined)
    return { approval, owner: { ownerId: task.owner.id, taskId: task.taskId, stage, key } };
  const error = problems.join("; ");
  return { approval: { ...approval, vendor: { ...approval.vendor, outcome: "failed", error } }, error };
}
