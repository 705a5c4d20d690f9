import { randomUUID } from "node:crypto";
import { FunctionNotFound } from "../functions/functionRunner.ts";
import { longTimer } from "../longTimer.ts";
import { fillTemplate } from "./fillTemplate.ts";
import { isObject, type Json } from "./json.ts";
import { invocationWithToken, type TaskState } from "./machine.ts";
import type { RunScope } from "./playMachine.ts";
import { type Context, readPath } from "./readPath.ts";
import { runtimeError, StateError } from "./stateError.ts";

/**
 * Calls the function of a task and answers as Lambda does, or waits until the token that it was given is settled. When
 * the time is up or the run has ended, the token is no longer valid.
 * @throws StateError
 */
export async function playTask(state: TaskState, input: Json, scope: RunScope): Promise<Json> {
  const timeout = secondsOf(state.TimeoutSecondsPath, input, scope.context) ?? state.TimeoutSeconds;
  const heartbeat = secondsOf(state.HeartbeatSecondsPath, input, scope.context) ?? state.HeartbeatSeconds;
  const { promise, resolve, reject } = Promise.withResolvers<Json>();
  const after = (name: string, seconds: number | undefined, what: string) =>
    seconds === undefined
      ? () => {}
      : longTimer(seconds * 1000, () => reject(new StateError(name, `no ${what} for ${seconds} s`)));
  const cancelTimeout = after("States.Timeout", timeout, "result");
  let cancelHeartbeat = () => {};
  const beat = () => {
    cancelHeartbeat();
    cancelHeartbeat = after("States.HeartbeatTimeout", heartbeat, "heartbeat");
  };
  beat();
  const giveUp = () => reject(scope.signal.reason);
  scope.signal.addEventListener("abort", giveUp, { once: true });
  const fail = (error: string, cause: string) => reject(new StateError(error, cause));
  const waits = state.Resource === invocationWithToken;
  const token = waits ? scope.tokens.open({ heartbeat: beat, succeed: resolve, fail }) : undefined;
  let stage: "calling" | "waiting" | "over" = "calling";
  call(state, input, scope, token === undefined ? {} : { Task: { Token: token } }).then((answer) => {
    if (!waits) return resolve(answer);
    if (stage === "over") return;
    stage = "waiting";
    scope.activity.end();
  }, reject);
  try {
    return await promise;
  } finally {
    if ((stage as string) === "waiting") scope.activity.begin();
    stage = "over";
    if (token !== undefined) scope.tokens.close(token);
    cancelTimeout();
    cancelHeartbeat();
    scope.signal.removeEventListener("abort", giveUp);
  }
}

function secondsOf(path: string | undefined, input: Json, context: Context): number | undefined {
  if (path === undefined) return undefined;
  const value = readPath(path, input, context);
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw runtimeError(`${path} does not point to a number of seconds`);
}

async function call(state: TaskState, input: Json, scope: RunScope, more: Context): Promise<Json> {
  const request = fillTemplate(state.Parameters, input, { ...scope.context, ...more });
  const { FunctionName = "", Payload = {} } = isObject(request) ? request : {};
  try {
    const outcome = await scope.functions.run(String(FunctionName), JSON.stringify(Payload));
    if (outcome.error) throw new StateError(outcome.error.errorType, JSON.stringify(outcome.error));
    return {
      ExecutedVersion: "$LATEST",
      Payload: JSON.parse(outcome.payload),
      SdkHttpMetadata: { HttpStatusCode: 200 },
      SdkResponseMetadata: { RequestId: randomUUID() },
      StatusCode: 200,
    };
  } catch (error) {
    throw error instanceof FunctionNotFound ? new StateError(`Lambda.${error.name}`, error.message) : error;
  }
}
