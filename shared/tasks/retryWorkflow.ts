import { loadText } from "../clients/objects/objectStore.ts";
import type { PlanScope } from "../jobs/planner.ts";
import { findProject } from "../store/projects.ts";
import { findSnapshot, type TaskId, type WholeTask } from "../store/tasks/findTasks.ts";
import { planTask } from "./planTask.ts";
import { type Replanned, retryTask } from "./retryTask.ts";
import { keepSecretIn, openArguments } from "./secretVariables.ts";
import { selectJobs } from "./selectJobs.ts";
import type { WorkflowArguments } from "./startWorkflow.ts";

/** Retries a task of a workflow with the definition and the arguments that it was started with (contract W 2.7, 8.8). */
export function retryWorkflow(task: TaskId): Promise<void> {
  return retryTask(task, replan);
}

async function replan({ task }: WholeTask): Promise<Replanned> {
  const snapshot = await findSnapshot(task.owner.id, task.taskId);
  if (snapshot === undefined) throw new Error(`task ${task.recordId} has no snapshot`);
  const definition = JSON.parse(await loadText(snapshot.definition));
  const sealed = await loadText(snapshot.arguments);
  const { inputs } = await openArguments<WorkflowArguments>(task.recordId, sealed);
  const secrets = new Map<string, string>();
  const project = await findProject(task.owner.projectKey);
  const scope: PlanScope = {
    project: { key: task.owner.projectKey, name: project?.name ?? task.owner.projectKey },
    workflow: { key: task.owner.key, name: task.owner.name },
    definition,
    taskId: task.taskId,
    creator: task.creator,
    startedAt: task.createTime,
    keepSecret: keepSecretIn(secrets),
  };
  return { plan: await planTask({ ...scope, definition: await selectJobs(inputs, scope) }), secrets };
}
