import { config } from "../base/settings/config.ts";
import { nowSeconds } from "../base/store/ids.ts";
import type { ApprovalRequester } from "../integrations/approvals/approvalRequester.ts";
import { changePlan } from "./changePlan.ts";
import { findPlan } from "./records/plans.ts";
import type { Plan } from "./rules/plan.ts";
import { type Step, stepFrom } from "./rules/step.ts";
import {
  notTakenBack,
  openRound,
  openVendorApproval,
  receiveRoundNews,
  type VendorApproval,
} from "./rules/vendorApproval.ts";

/** A plan whose approval a chat service decides. @param code of the round */
export function planAsker(planId: string, code: string): ApprovalRequester {
  return {
    owner: { planId, key: code },
    look: {
      ...{ name: `plan-${planId}-look-${code}`, event: { planId, look: code } },
      target: config().SLIPWAY_PLAN_FOLLOWER_ARN,
    },
    read: async () => {
      const plan = await findPlan(planId);
      const approval = plan && openVendorApproval(plan, code);
      return plan && approval && { ...openRound(plan, approval), text: textOf(plan, approval) };
    },
    change: async (news) => {
      let isNews = false;
      await change(planId, (plan) => {
        const step = receiveRoundNews(plan, code, news, nowSeconds());
        isNews = step !== undefined;
        return step ?? stepFrom(plan);
      });
      return isNews;
    },
    noteStaying: (problem) => change(planId, (plan) => notTakenBack(plan, problem)),
  };
}

/** What those who are asked read. */
function textOf({ name, index, manager }: Plan, { description }: VendorApproval): string {
  return [`Release plan ${index}: ${name}`, `Manager: ${manager}`, description]
    .filter((line) => line !== "")
    .join("\n");
}

/** A plan that was deleted meanwhile has nothing left to change. */
async function change(planId: string, decide: (plan: Plan) => Step): Promise<void> {
  if ((await findPlan(planId)) === undefined) return;
  await changePlan(planId, decide);
}
