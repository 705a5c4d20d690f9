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

/** `asleep`: a change ends with the workloads at rest. */
export type EnvironmentEvent = "update" | "delete" | "finish" | "fail" | "sleep" | "wake" | "asleep";

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
  sleep: { success: "updating", failed: "updating" },
  // From `failed` only where a sleep did not reach every workload; `sleepRefusal` tells.
  wake: { sleeping: "updating", failed: "updating" },
  asleep: { updating: "sleeping" },
};

/** The status that an event leads to, or undefined when it is refused in this status. */
export function afterEvent(status: EnvironmentStatus, event: EnvironmentEvent): EnvironmentStatus | undefined {
  return transitions[event][status];
}

/** Every status in which an event is accepted: the condition of its conditional write. */
export function statusesAccepting(event: EnvironmentEvent): EnvironmentStatus[] {
  return environmentStatuses.filter((status) => afterEvent(status, event) !== undefined);
}

/** What decides whether an environment may be changed. */
export interface Standing {
  status: EnvironmentStatus;
  /** Everything of the change under way is applied and only its readiness is awaited. */
  rollingOut?: boolean;
  /** Counts of its workloads are remembered: it sleeps, or did not fall asleep or wake up completely. */
  asleep?: boolean;
}

/** Why an environment cannot be updated now, as users read it; undefined when it can. */
export function updateRefusal(standing: Standing): string | undefined {
  const { asleep } = standing;
  const status = changeableStatus(standing);
  if (status === "sleeping") return "environment is sleeping";
  if (afterEvent(status, "update") === undefined) return inTransition(status);
  return asleep === true ? "environment did not fall asleep completely; put it to sleep again, or wake it" : undefined;
}

/** Whether it waits for nothing but the change that is being applied. */
export function isBeingChanged(standing: Standing): boolean {
  return ["creating", "updating"].includes(changeableStatus(standing));
}

export type SleepEvent = Extract<EnvironmentEvent, "sleep" | "wake">;

/** Why an environment cannot be put to sleep or woken now; undefined when it can (contract P 14.3). */
export function sleepRefusal(event: SleepEvent, standing: Standing): string | undefined {
  const { asleep } = standing;
  const status = changeableStatus(standing);
  if (afterEvent(status, event) !== undefined && (event === "sleep" || status === "sleeping" || asleep === true))
    return undefined;
  if (status === "sleeping") return "environment is sleeping already";
  const settled = event === "wake" && ["success", "failed", "unknown", "unstable"].includes(status);
  return settled ? "environment is not sleeping" : inTransition(status);
}

/** A change that only waits is taken over by the next one, as if it had finished. */
function changeableStatus({ status, rollingOut }: Standing): EnvironmentStatus {
  return rollingOut === true ? (afterEvent(status, "finish") ?? status) : status;
}

function inTransition(status: EnvironmentStatus): string {
  return `environment is in a state that cannot be updated: ${status}; wait until the change under way has finished`;
}
