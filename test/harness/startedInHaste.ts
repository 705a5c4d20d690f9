import { storeText } from "../../shared/base/aws/objects/objectStore.ts";
import { table } from "../../shared/base/store/table.ts";
import { overwrite } from "../../shared/base/store/writes.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { planItem } from "../../shared/workflows/records/taskItems.ts";
import type { WorkflowSource } from "../../shared/workflows/saved/store/workflows.ts";
import type { Slipway } from "./slipway.ts";
import { makeWorkflow, tasksOf } from "./tasks.ts";

const second = 1 / 60;

/**
 * Makes a workflow and starts a task of it whose approvals and jobs have one second, where the definition has minutes: the
 * task is held back by a limit of 0 until its plan says so. A retry plans it anew.
 */
export async function startedInHaste(
  slipway: Slipway,
  projectKey: string,
  source: WorkflowSource & { name: string },
): Promise<number> {
  await makeWorkflow(projectKey, { ...source, concurrency_limit: 0 });
  const taskId = await tasksOf(slipway, projectKey).started(source.name, namesOfJobs(source));
  await shorten((await findTaskOwner(source.name))?.id ?? "", taskId);
  const body = { ...source, project: projectKey, concurrency_limit: 1 };
  const { status, text } = await slipway.call("PUT", `/openapi/workflows/custom/${source.name}`, { body });
  if (status !== 200) throw new Error(`change of ${source.name}: ${text}`);
  return taskId;
}

function namesOfJobs({ stages }: WorkflowSource): string[] {
  const all = stages as { jobs: { name: string }[] }[];
  return all.flatMap(({ jobs }) => jobs.map(({ name }) => name));
}

async function shorten(ownerId: string, taskId: number): Promise<void> {
  const whole = await findWholeTask(ownerId, taskId);
  if (whole === undefined) throw new Error(`task ${taskId} is not there`);
  const stages = whole.plan.stages.map((stage) => ({
    ...stage,
    approval: stage.approval && { ...stage.approval, timeoutMinutes: second },
    jobs: stage.jobs.map((job) => ({ ...job, timeoutSeconds: 1 })),
  }));
  const plan = await storeText(JSON.stringify({ ...whole.plan, stages }));
  await table().write(overwrite(planItem(whole.task, { plan })));
}
