import { config } from "../config.ts";

/** Where the console shows a task (contract W 6); relative while no address of the console is set. */
export function taskUrl(task: { projectKey: string; workflow: { key: string; name: string }; taskId: number }): string {
  const { projectKey, workflow, taskId } = task;
  const path = `/v1/projects/detail/${projectKey}/pipelines/custom/${workflow.key}/${taskId}`;
  return `${config().SLIPWAY_CONSOLE_ADDRESS}${path}?display_name=${encodeURIComponent(workflow.name)}`;
}
