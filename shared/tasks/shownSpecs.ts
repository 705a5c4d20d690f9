import { maskedValue } from "../domain/job/keyVal.ts";
import { renderLate } from "../domain/task/variables.ts";
import type { WholeTask } from "../store/tasks/findTasks.ts";
import type { JobPlan } from "../store/tasks/task.ts";
import { jobOf } from "./currentState.ts";
import { lateVariables } from "./lateVariables.ts";
import { isCredentialPath } from "./secretVariables.ts";

/**
 * How a task's jobs are shown in its detail and in messages (contract W 4.4): what was planned with what became of it.
 * Outputs that are not known yet are empty, and credentials are stars.
 */
export function shownSpecs(whole: WholeTask): (plan: JobPlan) => Record<string, unknown> {
  const known = lateVariables(whole);
  const unknown = (path: string) => (isCredentialPath(path) ? maskedValue : "");
  return ({ name, spec }) => ({ ...renderLate(spec, known, unknown), ...jobOf(whole, name)?.result });
}
