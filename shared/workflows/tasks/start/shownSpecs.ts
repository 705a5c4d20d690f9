import { maskedValue } from "../../definition/script/keyVal.ts";
import { lateVariables } from "../../jobs/variables/lateVariables.ts";
import { jobOf } from "../../records/currentState.ts";
import type { WholeTask } from "../../records/findTasks.ts";
import { renderLate } from "../../records/rules/variables.ts";
import type { JobPlan } from "../../records/task.ts";
import { paramPath } from "./paramSecrets.ts";
import { isCredentialPath } from "./secretVariables.ts";

/**
 * How a task's jobs are shown in its detail and in messages (contract W 4.4): what was planned with what became of it.
 */
export function shownSpecs(whole: WholeTask): (plan: JobPlan) => Record<string, unknown> {
  const shown = shownValues(whole);
  return ({ name, spec }) => ({ ...shown(spec), ...jobOf(whole, name)?.result });
}

/** Replaces the variables of a value for people's eyes: what is not known yet is empty, and credentials are stars. */
export function shownValues(whole: WholeTask): <T>(value: T) => T {
  const known = lateVariables(whole);
  const secretParams = whole.plan.params.filter(({ is_credential }) => is_credential === true);
  const credentials = new Set(secretParams.map(({ name }) => paramPath(String(name))));
  const unknown = (path: string) => (isCredentialPath(path) || credentials.has(path) ? maskedValue : "");
  return (value) => renderLate(value, known, unknown);
}
