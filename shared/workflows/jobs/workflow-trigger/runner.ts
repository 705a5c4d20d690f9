import { ApiError } from "../../../base/errors/apiError.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { ConditionFailed } from "../../../base/store/tableClient.ts";
import { create, type Write } from "../../../base/store/writes.ts";
import { findTask, type TaskId } from "../../records/findTasks.ts";
import { allEnded } from "../../records/notifyWaitingJobs.ts";
import { isTaskFinal } from "../../records/rules/status.ts";
import { tryName } from "../../records/rules/tryName.ts";
import { removeTaskWaiter, waitForTasks } from "../../records/waiters.ts";
import { mayRun, withThatToken } from "../mayRun.ts";
import { failed, type JobRun, type JobRunner, passed, stopped } from "../runner.ts";
import { listedWorkflows, type TriggeredWorkflow, type TriggerSpec } from "./planner.ts";

const keptSeconds = 90 * 24 * 3600;

/** The task that a try of a job started in one place of its list: written with the task, so that it is started once. */
function markTriggered(tryName: string, place: number, { ownerId, taskId }: TaskId): Write {
  const ttl = nowSeconds() + keptSeconds;
  return create({ ...keys.triggeredTask(tryName, place), type: "triggered-task", ownerId, taskId, ttl });
}

async function findTriggered(tryName: string, place: number): Promise<TaskId | undefined> {
  const found = await table().get<TaskId>(keys.triggeredTask(tryName, place));
  return found && { ownerId: found.ownerId, taskId: found.taskId };
}

/** Starts workflows as the starter of the task, who must be allowed to, and may wait until all of them passed (contract W 5). */
export const runner: JobRunner = {
  begin: async (run) => {
    const { waits, listed } = read(run);
    const started = await startAll(run, listed);
    if (typeof started === "string") return failed(started);
    const result = resultOf(await eventsOf(run, started));
    if (!waits || started.length === 0) return passed({ result });
    const name = tryName(run.job);
    await waitForTasks({ name, taskToken: run.taskToken, tasks: started });
    if (!(await allEnded(started))) return { waits: true, set: { result } };
    // The task that ended last may have looked for waiters before this one existed.
    await Promise.all(started.map((task) => removeTaskWaiter(task, name)));
    return ended(run);
  },
  finish: async (run, why) => (why === "settled" ? ended(run) : stopped(why)),
};

function read({ run }: Pick<JobRun, "run">): { waits: boolean; listed: readonly TriggeredWorkflow[] } {
  const spec = run as unknown as TriggerSpec;
  return { waits: spec.is_enable_check === true, listed: listedWorkflows(spec) };
}

/** Each workflow once, however often this is run; a sentence when one cannot be started. */
async function startAll(run: JobRun, listed: readonly TriggeredWorkflow[]): Promise<TaskId[] | string> {
  const started: TaskId[] = [];
  for (const [place, workflow] of listed.entries()) {
    const one = (await findTriggered(tryName(run.job), place)) ?? (await start(run, workflow, place));
    if (typeof one === "string") return `workflow ${workflow.workflow_name} could not be started: ${one}`;
    started.push(one);
  }
  return started;
}

async function start(run: JobRun, workflow: TriggeredWorkflow, place: number): Promise<TaskId | string> {
  const name = tryName(run.job);
  const params = (workflow.params ?? []).map(({ name: param, value }) => ({ name: param, value: String(value ?? "") }));
  const projectKey = workflow.project_name || run.task.owner.projectKey;
  const { creator } = run.task;
  if (!(await mayRun(creator, "run_workflow", { projectKey, workflow: workflow.workflow_name })))
    return `${creator.name} may not run it${withThatToken(creator)}; it needs run_workflow in project ${projectKey}`;
  let made: TaskId | undefined;
  try {
    await run.engine.startWorkflow({ projectKey, key: workflow.workflow_name, params }, run.task, (task) => {
      made = { ownerId: task.owner.id, taskId: task.taskId };
      return [markTriggered(name, place, made)];
    });
  } catch (error) {
    if (error instanceof ApiError) return error.description;
    if (!(error instanceof ConditionFailed)) throw error;
    made = await findTriggered(name, place);
  }
  return made ?? "it was started by somebody else";
}

/** What became of the tasks that this try started. */
async function ended(run: JobRun) {
  const { listed } = read(run);
  const started = await startAll(run, listed);
  if (typeof started === "string") return failed(started);
  const events = await eventsOf(run, started);
  const bad = events.filter(({ status }) => status !== "passed");
  if (bad.length === 0) return passed({ result: resultOf(events) });
  const names = bad.map(({ workflow_name, task_id, status }) => `${workflow_name} #${task_id} is ${status}`);
  return failed(`not every workflow passed: ${names.join(", ")}`, { result: resultOf(events) });
}

/** As task detail shows it (contract W 4.4). */
function resultOf(events: Awaited<ReturnType<typeof eventsOf>>) {
  return { workflow_trigger_events: events };
}

/** Shown and kept, so with parameters as they are shown. */
async function eventsOf({ spec }: JobRun, started: readonly TaskId[]) {
  const { listed } = read({ run: spec });
  return Promise.all(
    started.map(async ({ ownerId, taskId }, at) => {
      const task = await findTask(ownerId, taskId);
      const { service_name, service_module, params } = listed[at] ?? {};
      return {
        service_name: service_name ?? "",
        service_module: service_module ?? "",
        workflow_name: task?.owner.key ?? "",
        workflow_display_name: task?.owner.name ?? "",
        project_name: task?.owner.projectKey ?? "",
        task_id: taskId,
        status: task === undefined ? "cancelled" : isTaskFinal(task.status) ? task.status : "running",
        params: params ?? [],
      };
    }),
  );
}
