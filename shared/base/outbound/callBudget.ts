import { AsyncLocalStorage } from "node:async_hooks";

interface Budget {
  /** Of the process's clock, in milliseconds. */
  endsAt: number;
  /** Made when a cluster is called: most requests call none. */
  signal?: AbortSignal;
}

const budgets = new AsyncLocalStorage<Budget>();

/**
 * Runs work that a caller waits for. All calls of clusters in it together have so many seconds, however many they are
 * and whatever their own limits; a budget within a budget takes its place.
 */
export function withCallBudget<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  return budgets.run({ endsAt: performance.now() + seconds * 1000 }, work);
}

/** Runs work that serves other callers too: the time of the first caller does not limit it. */
export function withoutCallBudget<T>(work: () => Promise<T>): Promise<T> {
  return budgets.exit(work);
}

/** Ends when the time of the caller is up; undefined where no caller waits. */
export function callBudget(): AbortSignal | undefined {
  const budget = budgets.getStore();
  if (budget === undefined) return undefined;
  budget.signal ??= AbortSignal.timeout(Math.max(Math.ceil(budget.endsAt - performance.now()), 0));
  return budget.signal;
}
