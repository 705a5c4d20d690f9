import { AsyncLocalStorage } from "node:async_hooks";

const budgets = new AsyncLocalStorage<AbortSignal>();

/**
 * Runs what somebody waits for. All calls of clusters in it together have so many seconds, however many they are and
 * whatever their own limits; a budget within a budget takes its place.
 */
export function withCallBudget<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  return budgets.run(AbortSignal.timeout(seconds * 1000), work);
}

/** Runs what serves others too: the time of whoever happened to ask first is not theirs. */
export function withoutCallBudget<T>(work: () => Promise<T>): Promise<T> {
  return budgets.exit(work);
}

/** Ends when the time of the caller is up; undefined where nobody waits. */
export function callBudget(): AbortSignal | undefined {
  return budgets.getStore();
}
