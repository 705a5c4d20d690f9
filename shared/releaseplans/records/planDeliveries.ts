import { config } from "../../base/settings/config.ts";
import type { AboutTask } from "../../integrations/notify/recordDeliveries.ts";
import type { Plan } from "../rules/plan.ts";

/** What `X-Zadig-Event` and `event` say of everything that is told of a plan. */
export const planEvent = "release_plan";

/**
 * Deliveries about a plan stand beside those about tasks: of no project, under the plan's id and number, and by what the
 * plan owed, so that paying it twice is one delivery.
 */
export function aboutPlan({ planId, index }: Pick<Plan, "planId" | "index">, owedId: string): AboutTask {
  const baseUrl = config().SLIPWAY_CONSOLE_ADDRESS;
  return { projectKey: "", workflowKey: planId, taskId: index, taskRecordId: owedId, attempt: 0, baseUrl };
}
