import type { JobEnding } from "./status.ts";

/** What follows a failed or timed out job (contract W 8.7). */
export type AfterFailure = { end: JobEnding } | { again: true } | { ask: true };

export interface ErrorPolicyState {
  policy: string;
  maximumRetry: number;
  retryCount: number;
}

/** Error policies concern failures and timeouts alone; every other ending is kept. */
export function afterEnding(ending: JobEnding, { policy, maximumRetry, retryCount }: ErrorPolicyState): AfterFailure {
  if (ending !== "failed" && ending !== "timeout") return { end: ending };
  if (policy === "ignore_error") return { end: "unstable" };
  if (policy === "retry" && retryCount < maximumRetry) return { again: true };
  return policy === "manual_check" ? { ask: true } : { end: ending };
}
