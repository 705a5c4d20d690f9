import { type Plan, systemActor } from "./plan.ts";
import { type Step, stepFrom } from "./step.ts";

/** The plan with an entry in its log of what happened to it by itself. */
export function noted(plan: Plan, detail: string): Step {
  const entry = { by: systemActor, verb: "update", targetType: "release_plan", targetName: plan.name } as const;
  return { ...stepFrom({ ...plan }), log: [{ ...entry, detail }] };
}
