import type { components } from "./generated/api.ts";

type Task = components["schemas"]["WorkflowTask"];
type Job = Task["stages"][number]["jobs"][number];

const ended = new Set(["passed", "failed", "timeout", "cancelled", "reject"]);

/** Whether a task of a workflow goes on no more. */
export const hasEnded = ({ status }: Pick<Task, "status">): boolean => ended.has(status);

/** Kinds whose jobs run a script. */
const scripted = new Set(["freestyle", "plugin", "zadig-build", "zadig-test", "zadig-scanning"]);
const before = new Set(["", "created", "waiting", "queued", "prepare", "skipped"]);

/** Whether a job says something, or has said it. */
export const hasLog = ({ type, status }: Pick<Job, "type" | "status">): boolean =>
  scripted.has(type) && !before.has(status);

/** Where `lines` follows what a job says, from its beginning. */
export function jobLogPath(
  { workflow_key, task_id }: Pick<Task, "workflow_key" | "task_id">,
  { name }: Pick<Job, "name">,
) {
  const [workflow, job] = [workflow_key, name].map(encodeURIComponent);
  return `/openapi/logs/sse/v4/workflow/${workflow}/${task_id}/${job}/9999`;
}
