/** Stored status of an environment (contract P 14.1). */
export const environmentStatuses = [
  "creating",
  "updating",
  "deleting",
  "success",
  "failed",
  "unknown",
  "sleeping",
  "unstable",
] as const;
export type EnvironmentStatus = (typeof environmentStatuses)[number];

export type EnvironmentEvent = "update" | "delete" | "finish" | "fail" | "sleep" | "wake";

/** From which status an event leads where (contract P 14.3); what is not listed is refused. */
const transitions: Readonly<Record<EnvironmentEvent, Partial<Record<EnvironmentStatus, EnvironmentStatus>>>> = {
  update: { success: "updating", failed: "updating", unknown: "updating" },
  delete: {
    creating: "deleting",
    updating: "deleting",
    success: "deleting",
    failed: "deleting",
    unknown: "deleting",
    sleeping: "deleting",
    unstable: "deleting",
  },
  finish: { creating: "success", updating: "success" },
  fail: { creating: "failed", updating: "failed", deleting: "unknown" },
  sleep: { success: "sleeping", failed: "sleeping" },
  wake: { sleeping: "success" },
};

/** The status that an event leads to, or undefined when it is refused in this status. */
export function afterEvent(status: EnvironmentStatus, event: EnvironmentEvent): EnvironmentStatus | undefined {
  return transitions[event][status];
}

/** Every status in which an event is accepted: the condition of its conditional write. */
export function statusesAccepting(event: EnvironmentEvent): EnvironmentStatus[] {
  return environmentStatuses.filter((status) => afterEvent(status, event) !== undefined);
}

/** Why an environment cannot be updated now, as users read it; undefined when it can. */
export function updateRefusal(status: EnvironmentStatus): string | undefined {
  if (afterEvent(status, "update") !== undefined) return undefined;
  if (status === "sleeping") return "environment is sleeping";
  return `environment is in a state that cannot be updated: ${status}; wait until the change under way has finished`;
}
