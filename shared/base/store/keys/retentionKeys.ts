import { type Key, padded } from "./keys.ts";

/** Keys of what says how long records are kept, and of those on their way out. */
export const retentionKeys = {
  /** How long tasks of the project and their logs are kept; due when the next sweep is. */
  retention: (projectKey: string): Key => ({ pk: `project#${projectKey}`, sk: "retention" }),
  /** A task whose record is gone and of which something is left. */
  taskRemoval: (ownerId: string, taskId: number): Key => ({
    pk: `task-removal#${ownerId}#${padded(taskId)}`,
    sk: "removal",
  }),
} as const;
