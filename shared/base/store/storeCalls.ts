import { AsyncLocalStorage } from "node:async_hooks";
import { areFiguresHeard, recordMetric } from "../metrics/recordMetric.ts";

/** One round trip to the table and what it cost, in DynamoDB capacity units. */
export interface StoreCall {
  kind: "get" | "getMany" | "query" | "write" | "add";
  capacityUnits: number;
}

const recorders = new AsyncLocalStorage<StoreCall[] | "unrecorded">();
/** Records that take every call of this process. */
const everywhere = new Set<StoreCall[]>();

/** Runs `work` and returns its result with every round trip to the table it made: what tests and the benchmark count. */
export async function recordStoreCalls<T>(work: () => Promise<T>): Promise<{ result: T; calls: StoreCall[] }> {
  const calls: StoreCall[] = [];
  const result = await recorders.run(calls, work);
  return { result, calls };
}

/** As `recordStoreCalls`, with what anybody else in this process asked meanwhile: state machines and their functions. */
export async function recordAllStoreCalls<T>(work: () => Promise<T>): Promise<{ result: T; calls: StoreCall[] }> {
  const calls: StoreCall[] = [];
  everywhere.add(calls);
  try {
    return { result: await work(), calls };
  } finally {
    everywhere.delete(calls);
  }
}

/** Whether a call that is made now would be recorded. */
export function areStoreCallsCounted(): boolean {
  const recorder = recorders.getStore();
  return recorder === undefined ? everywhere.size > 0 || areFiguresHeard() : recorder !== "unrecorded";
}

/** Called by the table after each round trip. */
export function reportStoreCall(call: StoreCall): void {
  const recorder = recorders.getStore();
  if (recorder === "unrecorded") return;
  recorder?.push(call);
  for (const calls of everywhere) calls.push(call);
  recordMetric("storeCalls", { call: call.kind }, 1);
  recordMetric("storeUnits", { call: call.kind }, call.capacityUnits);
}

/** For what happens at most once a minute whatever is asked: it would let the cost of a request depend on the clock. */
export function unrecorded<T>(work: () => Promise<T>): Promise<T> {
  return recorders.run("unrecorded", work);
}
