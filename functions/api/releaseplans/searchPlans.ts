import { badRequest } from "../../../shared/errors/apiError.ts";
import { allPlans, pageOfPlans } from "../../../shared/releaseplans/records/planPages.ts";
import type { PlanSummary } from "../../../shared/releaseplans/records/plans.ts";
import type { PlanSearch } from "./planSchemas.ts";

/** A page of the plans that a search finds; without one the page is found by its number. @throws ApiError 400 */
export async function searchPlans(search: PlanSearch): Promise<{ total: number; plans: PlanSummary[] }> {
  const { pageNum, pageSize, type = "", keyword = "", startTime, endTime } = search;
  const byKeyword = type !== "" && keyword !== "" ? keywordFilter(type, keyword) : undefined;
  if (byKeyword === undefined && startTime === undefined && endTime === undefined)
    return pageOfPlans(pageNum, pageSize);
  const overlaps = (plan: PlanSummary) =>
    (startTime === undefined && endTime === undefined) ||
    (plan.endTime !== 0 && plan.endTime >= (startTime ?? 0) && plan.startTime <= (endTime ?? plan.startTime));
  const found = (await allPlans()).filter((plan) => (byKeyword?.(plan) ?? true) && overlaps(plan));
  return { total: found.length, plans: found.slice((pageNum - 1) * pageSize, pageNum * pageSize) };
}

function keywordFilter(type: NonNullable<PlanSearch["type"]>, keyword: string): (plan: PlanSummary) => boolean {
  const text = keyword.toLowerCase();
  switch (type) {
    case "name":
      return ({ name }) => name.toLowerCase().includes(text);
    case "manager":
      return ({ manager }) => manager.toLowerCase().includes(text);
    case "status": {
      const wanted = keyword.split(",");
      return ({ status }) => wanted.includes(status);
    }
    default: {
      const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(keyword) ?? [];
      if (from === undefined || to === undefined)
        throw badRequest([{ in: "query", path: "keyword", problem: "must be <from>-<to> in Unix seconds" }]);
      const isInside = (time: number) => time >= Number(from) && time <= Number(to);
      return (plan) => isInside(type === "success_time" ? plan.successTime : plan.updatedAt);
    }
  }
}
