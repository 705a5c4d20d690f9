import { jobKindOf } from "../../workflows/definition/jobKinds.ts";
import { previewerOf } from "../../workflows/jobs/previews.ts";
import type { JobPlan, TaskPlan } from "../../workflows/records/task.ts";

/** What a task does besides its changes of environments, as far as users who wait for it should know. */
export function taskNotes({ stages }: TaskPlan): string[] {
  const notes = stages.flatMap(({ name, approval, manualExec, jobs }) => [
    ...(manualExec === null ? [] : [`stage ${name} waits until somebody executes it`]),
    ...(approval === null ? [] : [`stage ${name} waits for an approval`]),
    ...jobs.flatMap((job) => [...ruleNotes(job), ...workNotes(job)]),
  ]);
  return [...new Set(notes)];
}

function ruleNotes({ originName, executePolicy }: JobPlan): string[] {
  return executePolicy === null ? [] : [`job ${originName} runs or not by its rules, which only the run can tell`];
}

function workNotes({ originName, type }: JobPlan): string[] {
  if (previewerOf(type) !== undefined || type === "notification") return [];
  if (type === "approval") return [`job ${originName} waits for an approval`];
  if (type === "zadig-distribute-image") return [`job ${originName} copies images`];
  if (type === "workflow-trigger") return [`job ${originName} starts other workflows; what those change is not shown`];
  if (jobKindOf(type) === undefined) return [`job ${originName} is of the type ${type}, which cannot be run here`];
  return [`job ${originName} (${type}) runs in a container; what its script changes is not shown`];
}
