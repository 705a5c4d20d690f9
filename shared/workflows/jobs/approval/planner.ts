import type * as z from "zod";
import { ApiError } from "../../../errors/apiError.ts";
import { approval } from "../../definition/kinds/approval.ts";
import { type Approval, defaultApprovalMinutes } from "../../records/rules/approval.ts";
import { jobNamed } from "../jobNamed.ts";
import { approversOf } from "../people.ts";
import type { JobPlanner, PlanScope } from "../planner.ts";
import { readSpec } from "../readSpec.ts";

/** What the runner needs: how the approval stands before anybody decided. */
export interface ApprovalRun {
  type: string;
  approval: Approval;
}

/** An approval job: its groups are replaced by their members when the task is created (contract W 8.6). */
export const approvalPlanner: JobPlanner = {
  select: async (job) => ({ ...job.spec }),
  expand: async (job, scope) => {
    const spec = readSpec(approval, job);
    const { native_approval: native } = spec.source === "fromjob" ? sharedWith(spec.job_name ?? "", scope) : spec;
    const before = await approversOf(native, scope.creator);
    const timeoutMinutes = spec.timeout || native?.timeout || native?.Timeout || defaultApprovalMinutes;
    const type = spec.type || "native";
    const shown = { ...spec, timeout: timeoutMinutes, type, native_approval: native ?? null };
    const run: ApprovalRun = { type, approval: before };
    return [{ parts: [], spec: shown, run: { ...run }, timeoutMinutes }];
  },
};

/** The approval job whose approvers are shared; it may share those of another one in turn. */
function sharedWith(jobName: string, scope: PlanScope, seen: readonly string[] = []): z.output<typeof approval.schema> {
  const job = jobNamed(scope, jobName);
  if (job?.type !== approval.type || seen.includes(jobName))
    throw new ApiError(6160, `approval job ${jobName}, whose approvers are to be taken, is not in the workflow`);
  const spec = readSpec(approval, job);
  return spec.source === "fromjob" ? sharedWith(spec.job_name ?? "", scope, [...seen, jobName]) : spec;
}
