import { nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { create, type Write } from "../../base/store/writes.ts";
import type { Plan } from "../rules/plan.ts";
import type { LogEntry } from "../rules/step.ts";

/** An entry as it was read. */
export interface StoredEntry extends LogEntry {
  /** From 1, in the order in which things happened. */
  sequence: number;
  /** Unix seconds. */
  createdAt: number;
}

/** Goes with the write of the plan, which says how many entries there were. */
export function logWrites({ planId }: Pick<Plan, "planId">, count: number, log: readonly LogEntry[]): Write[] {
  const createdAt = nowSeconds();
  return log.map((entry, at) => {
    const sequence = count + at + 1;
    return create({
      ...keys.releasePlanLog(planId, sequence),
      type: "release-plan-log",
      ...entry,
      sequence,
      createdAt,
    });
  });
}

/** Everything that happened to a plan until a moment ago, newest first; it outlives the plan. */
export function readPlanLog(planId: string): Promise<StoredEntry[]> {
  return table().query<StoredEntry>({ pk: keys.releasePlanLog(planId, 0).pk, descending: true, consistent: false });
}
