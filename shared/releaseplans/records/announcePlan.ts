import { publishPlanStatus } from "../../aws/events/publishStatusChange.ts";
import { nowSeconds } from "../../store/ids.ts";
import type { Step } from "../rules/step.ts";

/** Tells the event bus of every status that a plan has taken by a step which is stored; may be told twice. */
export async function announcePlan({ plan, log }: Pick<Step, "plan" | "log">): Promise<void> {
  const { planId, index, name } = plan;
  const changes = log.filter(({ targetType }) => targetType === "release_plan_status");
  const time = nowSeconds();
  await publishPlanStatus(
    ...changes.map(({ before, after }) => ({ planId, index, name, from: String(before), to: String(after), time })),
  );
}
