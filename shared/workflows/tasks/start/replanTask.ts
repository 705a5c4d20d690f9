import { readStoredText } from "../../../base/aws/objects/objectStore.ts";
import { requireProject } from "../../../projects/store/projects.ts";
import type { WorkflowDefinition } from "../../definition/definition.ts";
import type { PlanScope } from "../../jobs/planner.ts";
import { findSnapshot } from "../../records/findTasks.ts";
import type { Task, TaskPlan } from "../../records/task.ts";
import { planTask } from "./planTask.ts";
import { type QualityArguments, qualityDefinition, requireQuality } from "./qualityDefinition.ts";
import { keepSecretIn, openArguments } from "./secretVariables.ts";
import { selectJobs } from "./selectJobs.ts";
import type { WorkflowArguments } from "./startWorkflow.ts";

/** A plan made again, with the credentials that it brings. */
export interface Replanned {
  plan: TaskPlan;
  secrets: ReadonlyMap<string, string>;
}

/**
 * Plans a task again with what it was started with: a workflow as it was then, builds, tests and scans as they are now
 * (contract W 8.8).
 * @throws ApiError 404 when the project is being deleted
 */
export async function replanTask(task: Task): Promise<Replanned> {
  const { owner, taskId, recordId, creator, createTime } = task;
  const snapshot = await findSnapshot(owner.id, taskId);
  if (snapshot === undefined) throw new Error(`task ${recordId} has no snapshot`);
  const project = await requireProject(owner.projectKey);
  const secrets = new Map<string, string>();
  const scope: PlanScope = {
    project: { key: owner.projectKey, name: project.name },
    workflow: owner,
    definition: JSON.parse(await readStoredText(snapshot.definition)),
    taskId,
    creator,
    startedAt: createTime,
    isOfReleasePlan: task.releasePlan !== undefined,
    keepSecret: keepSecretIn(secrets),
  };
  const definition = await chosenAgain(task, await readStoredText(snapshot.arguments), scope);
  return { plan: await planTask({ ...scope, definition }), secrets };
}

async function chosenAgain({ owner, recordId }: Task, sealed: string, scope: PlanScope): Promise<WorkflowDefinition> {
  if (owner.kind === "workflow")
    return selectJobs((await openArguments<WorkflowArguments>(recordId, sealed)).inputs, scope);
  const given = await openArguments<QualityArguments>(recordId, sealed);
  const current = await requireQuality(owner.kind, owner.projectKey, owner.name);
  return qualityDefinition(owner.kind, current, given, scope.keepSecret);
}
