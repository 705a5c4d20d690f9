import { setMaxListeners } from "node:events";
import { longTimer } from "../longTimer.ts";
import { evaluateTemplate } from "./evaluate-template.ts";
import type { Json } from "./json.ts";
import { playTask } from "./play-task.ts";
import type { MapPlan, ParallelPlan, Plan, WaitPlan } from "./prepare-definition.ts";
import { readPath } from "./read-path.ts";
import { runMachine } from "./run-machine.ts";
import type { RunScope } from "./run-scope.ts";
import { StateError } from "./state-error.ts";

/** Inline Map runs at most this many items at once when MaxConcurrency is 0. */
const UNLIMITED_CONCURRENCY = 40;

/** What a state is allowed to put out. */
export const DATA_LIMIT_BYTES = 256 * 1024;

/**
 * Plays what the library does not play right (see prepare-definition.ts): from the state's input, InputPath applied, to
 * its result, ResultSelector applied. Nothing begins once the run is aborted.
 */
export async function playState(plan: Plan, input: Json, scope: RunScope): Promise<Json> {
  if (scope.signal.aborted) throw new StateError("States.Aborted", "the run is over", false);
  const result = await play(plan, input, scope);
  if (plan.resultSelector === undefined) return limited(result);
  return limited(await evaluateTemplate(plan.resultSelector, result, scope.context));
}

function play(plan: Plan, input: Json, scope: RunScope): Promise<Json> {
  if (plan.kind === "task") return playTask(plan, input, scope);
  if (plan.kind === "map") return playMap(plan, input, scope);
  if (plan.kind === "parallel") return playParallel(plan, input, scope);
  if (plan.kind === "wait") return playWait(plan, input, scope);
  return plan.result === undefined ? evaluateTemplate(plan.parameters, input, scope.context) : copy(plan.result);
}

/** A result belongs to the execution, the definition to all of them. */
async function copy(value: Json): Promise<Json> {
  return JSON.parse(JSON.stringify(value));
}

function limited(output: Json): Json {
  if (Buffer.byteLength(JSON.stringify(output)) <= DATA_LIMIT_BYTES) return output;
  throw new StateError("States.DataLimitExceeded", "the output is larger than 256 KiB", false);
}

async function playParallel(plan: ParallelPlan, input: Json, scope: RunScope): Promise<Json> {
  const { branches, parameters } = plan;
  const given = parameters === undefined ? input : await evaluateTemplate(parameters, input, scope.context);
  const jobs = branches.map((branch) => (inner: RunScope) => runMachine(branch, given, inner));
  return runAll(jobs, jobs.length, scope);
}

async function playMap(plan: MapPlan, input: Json, scope: RunScope): Promise<Json> {
  const { body, itemsPath, selector, maxConcurrency, maxConcurrencyPath } = plan;
  const items = readPath(itemsPath, input, scope.context);
  if (!Array.isArray(items)) throw new StateError("States.Runtime", `${itemsPath} does not point to a list`, false);
  const limit = maxConcurrencyPath ? readPath(maxConcurrencyPath, input, scope.context) : maxConcurrency;
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 0) {
    throw new StateError("States.Runtime", "MaxConcurrency must be a whole number of 0 or more", false);
  }
  const jobs = items.map((item, index) => async (inner: RunScope) => {
    const context = { ...inner.context, Map: { Item: { Index: index, Value: item } } };
    const selected = selector === undefined ? item : await evaluateTemplate(selector, input, context);
    return runMachine(body, selected, { ...inner, context });
  });
  return runAll(jobs, limit || UNLIMITED_CONCURRENCY, scope);
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

function playWait({ until }: WaitPlan, input: Json, scope: RunScope): Promise<Json> {
  const value = "path" in until ? readPath(until.path, input, scope.context) : until.value;
  const milliseconds = until.isTimestamp ? Date.parse(String(value)) - Date.now() : Number(value) * 1000;
  if (Number.isNaN(milliseconds)) throw new StateError("States.Runtime", "the time to wait for is not a time", false);
  return new Promise((resolve) => {
    const cancel = longTimer(milliseconds, () => {
      scope.signal.removeEventListener("abort", cancel);
      resolve(input);
    });
    scope.signal.addEventListener("abort", cancel, { once: true });
  });
}
