import { keys, lists } from "../../base/store/keys/keys.ts";
import { allNumbered, countNumbered, pageOfNumbered } from "../../base/store/numberedPages.ts";
import type { Write } from "../../base/store/writes.ts";
import type { PlanSummary } from "./plans.ts";

const plans = { countsKey: keys.releasePlanCounts(), countsType: "release-plan-counts", list: lists.releasePlans };

/** For the transaction that makes a plan or takes it away. */
export function countPlan(index: number, amount: 1 | -1): Write {
  return countNumbered(plans, index, amount);
}

/** A page of plans, the highest number first: any page costs about the same, however many plans there are. */
export async function pageOfPlans(page: number, size: number): Promise<{ total: number; plans: PlanSummary[] }> {
  const { total, summaries } = await pageOfNumbered<PlanSummary>(plans, page, size);
  return { total, plans: summaries };
}

/** Every plan, the highest number first: for what is searched by. */
export async function allPlans(): Promise<PlanSummary[]> {
  return allNumbered<PlanSummary>(plans);
}
