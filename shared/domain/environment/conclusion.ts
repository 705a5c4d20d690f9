import type { EnvironmentEvent } from "./status.ts";

/** What became of one service in a change. */
export interface ServiceOutcome {
  name: string;
  /** Why its apply failed; empty when it did not; absent when it was never applied. */
  result?: string;
  ready?: boolean;
  notReady?: string;
}

/**
 * A creation fails when a service failed or is not ready; an update succeeds, its failures stay on the services
 * (contract P 5.3, 14.3; decisions 6.2).
 */
export function concluded(
  kind: string,
  outcomes: readonly ServiceOutcome[],
): { event: "finish" | "fail"; error: string } {
  if (kind !== "create") return { event: "finish", error: "" };
  const problems = outcomes.flatMap((outcome) => {
    const problem = problemOf(outcome);
    return problem === undefined ? [] : [`service ${outcome.name}: ${problem}`];
  });
  return problems.length === 0 ? { event: "finish", error: "" } : { event: "fail", error: problems.join("; ") };
}

/** How an environment comes out of a change: one that could not be woken completely goes on sleeping, with the reason. */
export function endingOf(kind: string, event: "finish" | "fail"): EnvironmentEvent {
  const sleepsOn = event === "finish" ? kind === "sleep" : kind === "wake";
  return sleepsOn ? "asleep" : event;
}

function problemOf({ result, ready, notReady }: ServiceOutcome): string | undefined {
  if (result === undefined) return "was not applied";
  if (result !== "") return result;
  return ready === false ? (notReady ?? "was not ready in time") : undefined;
}
