import { readStoredText } from "../base/aws/objects/objectStore.ts";
import type { PlanJob } from "./rules/plan.ts";
import { shownSpec } from "./workflowSpec.ts";

/**
 * What people and external systems see of what a job does; credentials are masked.
 * @param isHidden of a workflow job: only which workflow it is, and how it goes
 */
export async function jobSpec(job: PlanJob, isHidden: boolean): Promise<Record<string, unknown>> {
  const { workflow } = job;
  if (workflow === undefined)
    return { content: await readStoredText(job.spec), remark: await readStoredText(job.remark) };
  const { key, displayName, projectKey, taskId, taskStatus } = workflow;
  const run = taskStatus === undefined ? {} : { status: taskStatus, task_id: taskId ?? 0 };
  const shown = isHidden ? { name: key, display_name: displayName, project: projectKey } : await shownSpec(job);
  return { workflow: shown, ...run, ...(!isHidden && { remark: await readStoredText(job.remark) }) };
}
