import type { Key } from "./keys.ts";

/** Keys of what a change socket needs (docs/contract/decisions 18.5). */
export const changeSocketKeys = {
  /** A ticket by the SHA-256 of its text. */
  ticket: (hash: string): Key => ({ pk: `change-ticket#${hash}`, sk: "ticket" }),
  /** All connections share a partition: an event is told to those that one query finds. */
  connection: (connectionId: string): Key => ({ pk: "change-connections", sk: connectionId }),
  /** Until when any client follows changes. */
  listening: { pk: "change-listening", sk: "changes" } satisfies Key,
  /** Until when any client follows the jobs of a task. */
  listeningToTask: (ownerId: string, taskId: number): Key => ({
    pk: "change-listening",
    sk: `task#${ownerId}#${taskId}`,
  }),
  /** The process that tells connections of changes at the moment, and what was asked for meanwhile. */
  telling: { pk: "change-telling", sk: "turn" } satisfies Key,
} as const;
