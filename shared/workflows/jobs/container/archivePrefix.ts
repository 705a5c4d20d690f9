import type { JobRecord, Task } from "../../records/task.ts";

/** Under which keys of the object store files of a job are kept. */
export function archivePrefix({
  task: { owner, taskId },
  job,
}: {
  task: Pick<Task, "owner" | "taskId">;
  job: Pick<JobRecord, "name">;
}): string {
  return `jobs/${owner.id}/${owner.key}/${taskId}/files/${job.name}/`;
}

/** A name that stays below its folder. */
export function fileName(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .join("/");
}
