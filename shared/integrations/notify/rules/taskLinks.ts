import type { TaskNotice } from "./taskNotice.ts";

type Linked = Pick<TaskNotice, "baseUrl" | "workflow" | "taskId" | "taskType"> & { project: { key: string } };

/** The task in the console (contract W 15.4). */
export function taskLink(notice: Linked): string {
  if (notice.taskType !== "workflow") return detailUrl(notice);
  const { pathname, query } = workflowPage(notice);
  return `${pathname}/${notice.taskId}?${query}`;
}

/** `detail_url` of webhooks: that of a workflow has no task number (contract W 15.3). */
export function detailUrl(notice: Linked): string {
  const { workflow, taskId, taskType } = notice;
  if (taskType === "scan") {
    return `${projectPage(notice)}/scanner/detail/${encodeURIComponent(workflow.displayName)}/task/${taskId}?id=${workflow.id}`;
  }
  if (taskType === "test") {
    return `${projectPage(notice)}/test/detail/function/${encodeURIComponent(workflow.displayName)}/${taskId}`;
  }
  const { pathname, query } = workflowPage(notice);
  return `${pathname}?${query}`;
}

function workflowPage(notice: Linked): { pathname: string; query: string } {
  const { key, displayName } = notice.workflow;
  return {
    pathname: `${projectPage(notice)}/pipelines/custom/${encodeURIComponent(key)}`,
    query: `display_name=${encodeURIComponent(displayName)}`,
  };
}

function projectPage({ baseUrl, project }: Linked): string {
  return `${baseUrl}/v1/projects/detail/${encodeURIComponent(project.key)}`;
}
