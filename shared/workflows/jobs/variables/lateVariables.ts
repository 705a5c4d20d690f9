import { jobOf } from "../../records/currentState.ts";
import type { WholeTask } from "../../records/findTasks.ts";
import { outputPath } from "../../records/rules/outputPath.ts";
import { isJobFinal } from "../../records/rules/status.ts";
import { renderLate } from "../../records/rules/variables.ts";

/** What is known only while the task runs: outputs, and final statuses of jobs (contract W 6, 7). */
export function lateVariables(whole: WholeTask): Map<string, string> {
  const variables = new Map<string, string>();
  for (const { name, key } of whole.plan.stages.flatMap(({ jobs }) => jobs)) {
    const job = jobOf(whole, name);
    if (job === undefined) continue;
    if (isJobFinal(job.status)) variables.set(`job.${key}.status`, job.status);
    variables.set(`job.${key}.util.startTime`, String(job.startTime));
    for (const [output, value] of Object.entries(job.outputs)) variables.set(`job.${outputPath(key, output)}`, value);
  }
  for (const [path, value] of whole.plan.lateVariables ?? []) variables.set(path, renderLate(value, variables));
  return variables;
}
