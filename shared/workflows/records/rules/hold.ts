import type { JobRecord } from "../task.ts";

type Held = Pick<JobRecord, "hold" | "stands" | "status">;

/** Whether a job must not begin; one that may have started something completes it. */
export function isHeldBefore({ hold, stands, status }: Held): boolean {
  return hold !== undefined && (status === "" || stands === "before");
}

/** Whether a job is still stopped although it is no longer held: its machine has to be notified. */
export function isLetGo({ hold, stands }: Pick<Held, "hold" | "stands">): boolean {
  return stands !== undefined && hold === undefined;
}
