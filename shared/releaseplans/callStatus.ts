import type { StoredText } from "../base/aws/objects/objectStore.ts";
import { mapBounded } from "../base/common/mapBounded.ts";
import { ApiError } from "../base/errors/apiError.ts";
import { approvalPeople } from "./approvalPeople.ts";
import { changePlan } from "./changePlan.ts";
import { newInstanceCode } from "./newInstanceCode.ts";
import { hooksOfNow } from "./records/hookSetting.ts";
import { type Call, managerRefusal } from "./rules/jobs.ts";
import type { Plan } from "./rules/plan.ts";
import { type PlanStatus, statusCallRefusal } from "./rules/status.ts";
import { statusCall } from "./rules/statusCall.ts";
import type { Step } from "./rules/step.ts";
import { renewSpec } from "./workflowSpec.ts";

const atOnce = 4;

/**
 * Moves a plan on (contract D 2.3). Before planning ends what each workflow job runs is read and checked again, and kept.
 * @throws ApiError 400, 403, 404, 409; 6542 and 6545 naming a job whose workflow has gone or takes its inputs no more
 */
export function callStatus(planId: string, to: PlanStatus, call: Call): Promise<Step> {
  return changePlan(planId, async (plan) => {
    const isAllowed = managerRefusal(plan, call) === undefined && statusCallRefusal(plan.status, to) === undefined;
    const specs = isAllowed && to === "finish_planning" ? await renewSpecs(plan, call) : new Map();
    const people = isAllowed && to === "wait_for_approval" ? await approvalPeople(plan.approval) : [];
    const hooks = isAllowed && to === "planning" ? await hooksOfNow() : plan.hooks;
    return statusCall(plan, { ...call, to, newCode: newInstanceCode(), hooks, specs, people });
  });
}

async function renewSpecs(plan: Plan, { by }: Call): Promise<Map<string, StoredText>> {
  const jobs = plan.jobs.filter(({ workflow }) => workflow !== undefined);
  const specs = await mapBounded(jobs, atOnce, async (job) => {
    try {
      return [job.id, await renewSpec(plan.planId, job, by)] as const;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 6545)) throw error;
      throw new ApiError(6545, `job ${job.name}: ${error.description}`, { extra: error.extra });
    }
  });
  return new Map(specs);
}
