import { at } from "../../manifest/workloads.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import { fieldsOf } from "./podTemplate.ts";

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
}

/** `status.conditions` of any object, in order; entries that are none are left out. */
export function conditionsOf(object: LiveObject): Condition[] {
  const conditions = at(object, ["status", "conditions"]);
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((entry) => {
    const { type, status, reason, message, lastTransitionTime } = fieldsOf(entry) ?? {};
    if (typeof type !== "string" || typeof status !== "string") return [];
    const text = (value: unknown) => (typeof value === "string" ? value : "");
    return [
      { type, status, reason: text(reason), message: text(message), lastTransitionTime: text(lastTransitionTime) },
    ];
  });
}

export function conditionOf(object: LiveObject, type: string): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}
