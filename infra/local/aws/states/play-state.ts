import { setMaxListeners } from "node:events";
import { longTimer } from "../long-timer.ts";
import { playTask } from "./play-task.ts";
import type { Plan, PreparedMachine } from "./prepare-definition.ts";
import { runMachine } from "./run-machine.ts";
import { fields, type Json, type RunScope } from "./run-scope.ts";
import { StateError } from "./state-error.ts";

/** Inline Map runs at most this many items at once when MaxConcurrency is 0. */
const UNLIMITED_CONCURRENCY = 40;

/** What a state is allowed to put out. */
export const DATA_LIMIT_BYTES = 256 * 1024;

/** Plays what the library does not play right (see prepare-definition.ts). Nothing begins once the run is aborted. */
export async function playState(plan: Plan, given: Json, scope: RunScope): Promise<Json> {
  if (scope.signal.aborted) throw new StateError("States.Aborted", "the run is over", false);
  return limited(await play(plan, given, scope));
}

async function play(plan: Plan, given: Json, scope: RunScope): Promise<Json> {
  if (plan.kind === "task") return playTask(plan.waitsForToken, given, scope);
  if (plan.kind === "map") return playMap(plan, given, scope);
  if (plan.kind === "parallel") return playParallel(plan.branches, given, scope);
  if (plan.kind === "wait") return playWait(plan, given, scope);
  return JSON.parse(JSON.stringify(plan.value));
}

function limited(output: Json): Json {
  if (Buffer.byteLength(JSON.stringify(output)) <= DATA_LIMIT_BYTES) return output;
  throw new StateError("States.DataLimitExceeded", "the output is larger than 256 KiB", false);
}

function playParallel(branches: PreparedMachine[], given: Json, scope: RunScope): Promise<Json> {
  const jobs = branches.map((branch) => (inner: RunScope) => runMachine(branch, given, inner));
  return runAll(jobs, jobs.length, scope);
}

function playMap(plan: Plan & { kind: "map" }, given: Json, scope: RunScope): Promise<Json> {
  const { input = null, items, maxConcurrency } = fields(given);
  if (!Array.isArray(items)) throw new StateError("States.Runtime", "ItemsPath does not point to a list", false);
  if (typeof maxConcurrency !== "number" || !Number.isInteger(maxConcurrency) || maxConcurrency < 0) {
    throw new StateError("States.Runtime", "MaxConcurrency must be a whole number of 0 or more", false);
  }
  const jobs = items.map((item, index) => async (inner: RunScope) => {
    const context = { ...inner.context, Map: { Item: { Index: index, Value: item } } };
    const selected = plan.selector ? await plan.selector.run(input, { context }).result.catch(rethrowCause) : item;
    return runMachine(plan.body, selected, { ...inner, context });
  });
  return runAll(jobs, maxConcurrency || UNLIMITED_CONCURRENCY, scope);
}

/** Runs jobs, at most `limit` at once, in their order. The first failure aborts the running ones and begins no other. */
async function runAll(jobs: ((inner: RunScope) => Promise<Json>)[], limit: number, scope: RunScope): Promise<Json[]> {
  const aborter = new AbortController();
  const inner = { ...scope, signal: AbortSignal.any([scope.signal, aborter.signal]) };
  setMaxListeners(0, inner.signal);
  const results: Json[] = [];
  const queue = jobs.entries();
  const work = async (): Promise<void> => {
    for (const [index, job] of queue) results[index] = await job(inner);
  };
  scope.activity.end();
  try {
    await Promise.all(Array.from({ length: Math.min(limit, jobs.length) }, work));
    return results;
  } finally {
    scope.activity.begin();
    aborter.abort();
  }
}

function playWait(plan: Plan & { kind: "wait" }, given: Json, scope: RunScope): Promise<Json> {
  const isFixed = plan.seconds !== undefined || plan.timestamp !== undefined;
  const { input = null, seconds, timestamp } = isFixed ? { ...plan, input: given } : fields(given);
  const milliseconds = typeof seconds === "number" ? seconds * 1000 : Date.parse(String(timestamp)) - Date.now();
  if (Number.isNaN(milliseconds)) throw new StateError("States.Runtime", "the time to wait for is not a time", false);
  return new Promise((resolve) => {
    const cancel = longTimer(milliseconds, () => {
      scope.signal.removeEventListener("abort", cancel);
      resolve(input);
    });
    scope.signal.addEventListener("abort", cancel, { once: true });
  });
}

function rethrowCause(error: unknown): never {
  throw error instanceof Error && error.cause ? error.cause : error;
}
