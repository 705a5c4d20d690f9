import { setCallRules } from "../../../environments/mesh/setCallRules.ts";
import { immediate, passed } from "../runner.ts";
import type { CallRulesRun } from "./planner.ts";

/** Says where calls go in a base and its sub-environments, and leads them so. */
export const runner = immediate(async ({ run, task }) => {
  const { env, production, rules } = run as unknown as CallRulesRun;
  await setCallRules({ projectKey: task.owner.projectKey, envKey: env, production }, rules, task.creator);
  return passed();
});
