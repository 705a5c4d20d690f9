import type { components } from "./generated/api.ts";

type Task = components["schemas"]["WorkflowTask"];
type Stage = Task["stages"][number];
type Job = Stage["jobs"][number];

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

/** What a person says to a step of a rollout. */
export type RolloutAction = "pause" | "promote" | "abort";

/** Kinds whose jobs are steps of a rollout. */
export const rolloutTypes: readonly string[] = [
  ...["k8s-blue-green-deploy", "k8s-blue-green-release", "k8s-canary-deploy", "k8s-canary-release"],
  ...["k8s-gray-release", "istio-release"],
];
const holdable = new Set(["", "prepare", "running"]);

/** What makes sense of a job of a task now; whether the rollout is complete already only Slipway can tell. */
export function rolloutActions(
  task: Pick<Task, "status">,
  stage: Pick<Stage, "status">,
  { type, status, hold }: Pick<Job, "type" | "status" | "hold">,
): RolloutAction[] {
  if (hasEnded(task) || !rolloutTypes.includes(type)) return [];
  const waits = task.status === "pause" && stage.status === "pause";
  return [
    ...(hold === undefined && holdable.has(status) ? (["pause"] as const) : []),
    ...(hold !== undefined || waits ? (["promote"] as const) : []),
    ...(status !== "" ? (["abort"] as const) : []),
  ];
}
