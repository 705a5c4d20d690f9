import type * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import { isVendorType, type VendorType } from "../../../integrations/approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../../integrations/approvals/rules/vendorFields.ts";
import { type Approval, defaultApprovalMinutes } from "../../records/rules/approval.ts";
import { renderEarly } from "../../records/rules/variables.ts";
import { jobNamed } from "../jobNamed.ts";
import { approversOf } from "../people.ts";
import type { ExpandedJob, JobPlanner, PlanScope } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { staticVariables } from "../variables/staticVariables.ts";
import { kind as approval } from "./kind.ts";
import { requireAskable } from "./vendorQuestion.ts";

/** What the runner needs: the approval before the first decision. */
export interface ApprovalRun {
  type: string;
  approval: Approval;
}

type Spec = z.output<typeof approval.schema>;

/** An approval job: its groups are replaced by their members when the task is created (contract W 8.6). */
export const planner: JobPlanner = {
  select: async (job) => ({ ...job.spec }),
  expand: async (job, scope) => {
    const spec = readSpec(approval, job);
    const shared = spec.source === "fromjob" ? sharedWith(spec.job_name ?? "", scope) : spec;
    const type = shared.type || "native";
    if (isVendorType(type)) return [askedElsewhere(job.name, spec, shared, type, scope)];
    const { native_approval: native } = shared;
    const before = await approversOf(native, scope.creator, `approval job ${job.name}`);
    const timeoutMinutes = spec.timeout || native?.timeout || native?.Timeout || defaultApprovalMinutes;
    const shown = { ...spec, timeout: timeoutMinutes, type, native_approval: native ?? null };
    const run: ApprovalRun = { type, approval: before };
    return [{ parts: [], spec: shown, run: { ...run }, timeoutMinutes }];
  },
};

/** One that people of a chat service decide: the runner asks by what is shown of it. */
function askedElsewhere(
  name: string,
  { native_approval: _native, ...own }: Spec,
  shared: Spec,
  type: VendorType,
  scope: PlanScope,
): ExpandedJob {
  const field = vendorFields[type];
  const given = shared[field] ?? {};
  requireAskable(`spec of job ${name}`, type, renderEarly(given, new Map(staticVariables(scope))));
  const timeoutMinutes = own.timeout || given.timeout || defaultApprovalMinutes;
  const run: ApprovalRun = { type, approval: { neededApprovers: 0, approvers: [] } };
  return {
    parts: [],
    spec: { ...own, timeout: timeoutMinutes, type, [field]: given },
    run: { ...run },
    timeoutMinutes,
  };
}

/** The approval job whose approvers are shared; it may share those of another one in turn. */
function sharedWith(jobName: string, scope: PlanScope, seen: readonly string[] = []): Spec {
  const job = jobNamed(scope, jobName);
  if (job?.type !== approval.type || seen.includes(jobName))
    throw new ApiError(6160, `approval job ${jobName}, whose approvers are to be taken, is not in the workflow`);
  const spec = readSpec(approval, job);
  return spec.source === "fromjob" ? sharedWith(spec.job_name ?? "", scope, [...seen, jobName]) : spec;
}
