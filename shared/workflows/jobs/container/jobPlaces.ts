import { jobsNamespace } from "../../../kube/clusters/jobsNamespace.ts";
import { containerJobName, jobLogKey } from "../../pods/names.ts";
import type { ContainerJobRef } from "../../pods/rules/containerJob.ts";
import type { JobRecord, Task } from "../../records/task.ts";
import type { JobRun } from "../runner.ts";
import type { ContainerRun } from "./containerRun.ts";

/** Where the objects of one try of a job are, and its log. */
export function refOf({ task, job, run }: Pick<JobRun, "task" | "job" | "run">): ContainerJobRef {
  const { settings } = run as unknown as ContainerRun;
  return {
    clusterId: settings.clusterId,
    // A task that an earlier version planned says nothing of a place.
    namespace: settings.namespace ?? jobsNamespace(),
    name: containerJobName({
      ...{ workflowKey: task.owner.key, taskId: task.taskId, jobRecordId: job.jobId, attempt: job.retryCount },
    }),
    jobRecordId: job.jobId,
  };
}

/** Where the log of a job is kept; the record's id keeps a workflow made again under its key from older logs. */
export function logKeyOf({ owner, taskId }: Pick<Task, "owner" | "taskId">, { name }: Pick<JobRecord, "name">): string {
  return jobLogKey({ workflowKey: `${owner.id}/${owner.key}`, taskId, jobTaskName: name });
}
