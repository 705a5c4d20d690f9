import { type Key, padded } from "./keys.ts";

/** Counters and places of the tasks that wait for the installation share a partition: one query reads the first of both. */
const installation = "task-queue";

const placed = (position: number, ownerId: string, taskId: number): string =>
  `waiting#${String(position).padStart(15, "0")}#${ownerId}#${padded(taskId)}`;

/** Keys of the tasks that wait to be started, and of the slots that running ones hold. */
export const queueKeys = {
  /** A task that waits for a slot of the installation, in the order of its position. */
  waiting: (position: number, ownerId: string, taskId: number): Key => ({
    pk: installation,
    sk: placed(position, ownerId, taskId),
  }),
  /** A task whose owner runs as many as it may: it waits for one of those, in the order of its position. */
  own: (position: number, ownerId: string, taskId: number): Key => ({
    pk: `${installation}#${ownerId}`,
    sk: placed(position, ownerId, taskId),
  }),
  /** How many running tasks hold a slot of the shard; without one, those that older releases started. */
  slots: (shard?: number): Key => ({
    pk: installation,
    sk: shard === undefined ? "slots" : `slots#${String(shard).padStart(2, "0")}`,
  }),
} as const;

/** Sort keys between these are counters of slots, then waiting tasks. */
export const queueBounds = ["slots", "waiting#~"] as const;
