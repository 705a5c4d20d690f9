import type * as z from "zod";
import { notFound } from "../../../shared/errors/apiError.ts";
import { pageOfTasks } from "../../../shared/workflows/records/findTasks.ts";
import { findHead } from "../../../shared/workflows/records/taskHeads.ts";
import type { taskList, taskPage } from "./taskSchemas.ts";

/** A page of a workflow's tasks, found by their numbers: any page costs the same. @throws ApiError 404 */
export async function listWorkflowTasks(
  key: string,
  { projectKey, pageNum, pageSize }: z.output<typeof taskPage>,
): Promise<z.input<typeof taskList>> {
  const head = await findHead(key);
  if (head?.owner.projectKey !== projectKey) throw notFound(`workflow ${key}`);
  const { total, tasks } = await pageOfTasks(head, pageNum, pageSize);
  const workflow = { workflow_key: key, workflow_name: head.owner.name, project_key: projectKey };
  return {
    total,
    workflow_tasks: tasks.map(({ taskId, createTime, startTime, endTime, creator, status }) => ({
      ...workflow,
      task_id: taskId,
      create_time: createTime,
      task_creator: creator,
      start_time: startTime,
      end_time: endTime,
      status,
    })),
  };
}
