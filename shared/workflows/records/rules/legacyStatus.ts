import type { TaskStatus } from "./status.ts";

export const legacyStatuses = ["created", "running", "passed", "failed", "timeout", "cancelled"] as const;
export type LegacyStatus = (typeof legacyStatuses)[number];

/** The status of a task in the words of the older API (contract I 10.1). */
export function legacyStatus(status: TaskStatus): LegacyStatus {
  switch (status) {
    case "waiting":
    case "queued":
      return "created";
    case "pause":
      return "running";
    case "reject":
      return "failed";
    default:
      return status;
  }
}
