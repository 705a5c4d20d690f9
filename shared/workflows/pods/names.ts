import { createHash } from "node:crypto";

/** Longest value of a label, and longest name of a Job that its pods can carry. */
const longestName = 63;
const suffixLength = 10;

/**
 * The Kubernetes name of a job: `<workflow key>-<task id>-<suffix>`, at most 63 characters (contract W 11.1). The suffix
 * follows from the record and the attempt, so that a repeated start finds what the first one made.
 */
export function containerJobName(job: {
  workflowKey: string;
  taskId: number;
  jobRecordId: string;
  attempt: number;
}): string {
  const digest = createHash("sha256").update(`${job.jobRecordId}#${job.attempt}`).digest("hex");
  const tail = `-${job.taskId}-${digest.slice(0, suffixLength)}`;
  return dnsLabel(job.workflowKey, longestName - tail.length, "job") + tail;
}

/** The name of a job's main container: the job task's name as far as a container's name can hold it. */
export function mainContainerName(jobTaskName: string): string {
  return dnsLabel(jobTaskName, longestName, "job");
}

/** Where the log of a job task is kept (contract W 11.6; the subfolder is `jobs`). */
export function jobLogKey(task: { workflowKey: string; taskId: number; jobTaskName: string }): string {
  return `${jobLogPrefix(task)}${task.jobTaskName}.log`;
}

/** Below it are the logs of a task, and nothing else. */
export function jobLogPrefix({ workflowKey, taskId }: { workflowKey: string; taskId: number }): string {
  return `jobs/${workflowKey}/${taskId}/log/`;
}

function dnsLabel(text: string, most: number, otherwise: string): string {
  const label = text
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-")
    .replace(/^-+/, "")
    .slice(0, most)
    .replace(/-+$/, "");
  return label === "" ? otherwise : label;
}
