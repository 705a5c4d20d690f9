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
 * A change fails when one of its services was refused, was never applied or is not ready, and while a service that it did
 * not touch still has the refusal of an earlier one.
 * @param services those that are in the environment; what was planned of others was taken out meanwhile
 */
export function concluded(
  outcomes: readonly ServiceOutcome[],
  services: readonly { name: string; error: string }[],
): { event: "finish" | "fail"; error: string } {
  const byName = new Map(outcomes.map((outcome) => [outcome.name, outcome]));
  const problems = services.flatMap(({ name, error }) => {
    const outcome = byName.get(name);
    const problem = (outcome && problemOf(outcome)) || error;
    return problem === "" ? [] : [`service ${name}: ${problem}`];
  });
  return { event: problems.length === 0 ? "finish" : "fail", error: problems.join("; ") };
}

/** How an environment comes out of a change: one that could not be woken completely goes on sleeping, with the reason. */
export function endingOf(kind: string, event: "finish" | "fail"): EnvironmentEvent {
  const sleepsOn = event === "finish" ? kind === "sleep" : kind === "wake";
  return sleepsOn ? "asleep" : event;
}

function problemOf({ result, ready, notReady }: ServiceOutcome): string {
  if (result === undefined) return "was not applied";
  if (result !== "") return result;
  return ready === false ? (notReady ?? "was not ready in time") : "";
}

/** What an environment is to sub-environments when it became a base or ceased to be one; what failed may be repeated. */
export function shareAfter(kind: string, event: "finish" | "fail"): { share?: "enabled" | "disabled" } {
  if (event === "fail" || (kind !== "share" && kind !== "unshare")) return {};
  return { share: kind === "share" ? "enabled" : "disabled" };
}
