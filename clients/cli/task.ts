import { type components, hasEnded, hasLog, jobLogPath, lines, taken } from "@slipway/client";
import { WorkFailed, WrongUsage } from "./endings.ts";
import type { Session } from "./session.ts";
import { note } from "./terminal/print.ts";
import { Progress } from "./terminal/progress.ts";
import { shownStatus } from "./terminal/words.ts";
import { until } from "./until.ts";

export type Task = components["schemas"]["WorkflowTask"];

/** `<workflow>/<task>`. @throws WrongUsage */
export function taskNamed(text: string): { workflow: string; id: number } {
  const [, workflow, id] = /^([^/]+)\/(\d{1,12})$/.exec(text) ?? [];
  if (workflow === undefined)
    throw new WrongUsage(`${text} names no task: write <workflow>/<number>, such as release/12`);
  return { workflow, id: Number(id) };
}

export async function taskOf({ slipway }: Session, workflow: string, id: number): Promise<Task> {
  const query = { workflowKey: workflow, taskId: String(id) };
  return taken(slipway.GET("/openapi/workflows/custom/task", { params: { query } }));
}

/** The tree of a task: its stages, and the jobs in them. */
export function shownTask(task: Task): string[] {
  const head = `${task.workflow_key}/${task.task_id}  ${shownStatus(task.status)}${task.error ? `  ${task.error}` : ""}`;
  const stages = task.stages.flatMap((stage) => [
    `  ${stage.name}  ${shownStatus(stage.status ?? "")}`,
    ...stage.jobs.map((job) => `    ${job.display_name}  ${shownStatus(job.status)}${job.error && `  ${job.error}`}`),
  ]);
  return [head, ...stages];
}

/** What a task waits for that a person does. */
function hints({ workflow_key, task_id, stages }: Task): string[] {
  const waits = ({ status }: { status?: string }): boolean => status === "wait_for_approval";
  const isWaiting = stages.some((stage) => waits(stage) || stage.jobs.some(waits));
  return isWaiting ? [`It waits for an approval: \`slipway approve ${workflow_key}/${task_id}\``] : [];
}

/**
 * Follows a task to its end: its tree and what its jobs say.
 * @throws WorkFailed unless it passes @throws DeadlinePassed
 */
export async function follow(session: Session, workflow: string, id: number, seconds: number): Promise<Task> {
  const progress = new Progress();
  const followed = new Map<string, Promise<void>>();
  const stop = new AbortController();
  try {
    const task = await until(`the end of ${workflow}/${id}`, seconds, async () => {
      const now = await taskOf(session, workflow, id);
      for (const job of now.stages.flatMap(({ jobs }) => jobs))
        if (hasLog(job) && !followed.has(job.name))
          followed.set(job.name, showLog(session, { task: now, job, signal: stop.signal }, progress));
      progress.show([...shownTask(now), ...hints(now)]);
      return hasEnded(now) ? now : undefined;
    });
    await Promise.race([Promise.all(followed.values()), new Promise((done) => setTimeout(done, 2000).unref())]);
    progress.show(shownTask(task));
    if (task.status !== "passed")
      throw new WorkFailed(`${workflow}/${id} ended ${task.status}${task.error ? `: ${task.error}` : ""}`);
    return task;
  } finally {
    stop.abort();
  }
}

type Job = Task["stages"][number]["jobs"][number];

/** What a job says, line by line behind its name. A log that cannot be shown does not end the following of its task. */
async function showLog(
  { connection }: Session,
  { task, job, signal }: { task: Task; job: Job; signal: AbortSignal },
  progress: Progress,
): Promise<void> {
  try {
    for await (const { text } of lines(connection, jobLogPath(task, job), signal)) {
      progress.clear();
      note(`${job.display_name} | ${text}`);
    }
  } catch (error) {
    if (!signal.aborted) note(`${job.display_name} | its log cannot be shown: ${(error as Error).message}`);
  }
}
