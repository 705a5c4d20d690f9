import type { JobRecord } from "../task.ts";

type Held = Pick<JobRecord, "hold" | "stands" | "status">;

/** Whether a job is not to begin; one that may have begun something does that to its end. */
export function isHeldBefore({ hold, stands, status }: Held): boolean {
  return hold !== undefined && (status === "" || stands === "before");
}

/** Whether a job stands still although nobody holds it any more: its machine has to hear of it. */
export function isLetGo({ hold, stands }: Pick<Held, "hold" | "stands">): boolean {
  return stands !== undefined && hold === undefined;
}
