import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { overwrite, remove } from "../../base/store/writes.ts";

/** A round of a plan whose machine waits. */
export interface PlanWait {
  planId: string;
  round: number;
  until: "start" | "end";
  taskToken: string;
}

/** One record per token: a late repetition, whose token is no longer awaited, replaces no other record. */
export function putPlanWait(wait: PlanWait): Promise<void> {
  const key = keys.releasePlanWait(wait.planId, wait.taskToken);
  return table().write(overwrite({ ...wait, ...key, type: "release-plan-wait" }));
}

export function findPlanWaits(planId: string): Promise<PlanWait[]> {
  const { pk } = keys.releasePlanWait(planId, "");
  return table().query<PlanWait>({ pk, prefix: "wait#" });
}

export function removePlanWait({ planId, taskToken }: PlanWait): Promise<void> {
  return table().write(remove(keys.releasePlanWait(planId, taskToken)));
}
