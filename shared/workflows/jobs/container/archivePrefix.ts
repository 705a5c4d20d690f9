import type { JobRun } from "../runner.ts";

/** Under which keys of the object store files of a job are kept. */
export function archivePrefix({ task: { owner, taskId }, job }: Pick<JobRun, "task" | "job">): string {
  return `jobs/${owner.id}/${owner.key}/${taskId}/files/${job.name}/`;
}

/** A name that stays below its folder. */
export function fileName(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .join("/");
}
