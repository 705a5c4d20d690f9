import { randomUUID } from "node:crypto";
import { functionNameOf } from "../arns.ts";
import { AwsError } from "../awsError.ts";
import { evaluateTemplate } from "./evaluate-template.ts";
import { isObject, type Json } from "./json.ts";
import { LONGEST_SECONDS, type TaskPlan } from "./prepare-definition.ts";
import { readPath } from "./read-path.ts";
import type { RunScope, StatesContext } from "./run-scope.ts";
import { StateError } from "./state-error.ts";

/** Plays a Lambda task. TimeoutSeconds is the library's: it fails the state with States.Timeout and goes on. */
export async function playTask(plan: TaskPlan, input: Json, scope: RunScope): Promise<Json> {
  const timeoutSeconds = seconds(plan.timeout, input, scope.context) ?? LONGEST_SECONDS;
  if (timeoutSeconds > LONGEST_SECONDS) {
    throw new StateError("States.Runtime", `a timeout is at most ${LONGEST_SECONDS} s on one machine`, false);
  }
  if (!plan.waitsForToken) return invoke(plan, input, scope, scope.context);
  return waitForToken(plan, input, scope, timeoutSeconds);
}

function seconds(given: TaskPlan["timeout"], input: Json, context: StatesContext): number | undefined {
  const value = typeof given === "string" ? readPath(given, input, context) : given;
  if (value === undefined || (typeof value === "number" && Number.isInteger(value) && value > 0)) return value;
  throw new StateError("States.Runtime", `${given} does not point to a number of seconds`, false);
}

async function invoke(plan: TaskPlan, input: Json, scope: RunScope, context: StatesContext): Promise<Json> {
  const request = await evaluateTemplate(plan.parameters, input, context);
  const { FunctionName = "", Payload = {} } = isObject(request) ? request : {};
  try {
    const outcome = await scope.functions.run(functionNameOf(String(FunctionName)), JSON.stringify(Payload));
    if (outcome.error) throw new StateError(outcome.error.errorType, JSON.stringify(outcome.error));
    return {
      ExecutedVersion: "$LATEST",
      Payload: JSON.parse(outcome.payload),
      SdkHttpMetadata: { HttpStatusCode: 200 },
      SdkResponseMetadata: { RequestId: randomUUID() },
      StatusCode: 200,
    };
  } catch (error) {
    throw error instanceof AwsError ? new StateError(`Lambda.${error.name}`, error.message) : error;
  }
}

/**
 * Invokes the function with a token and settles as the token is settled. When the time is up or the run is aborted the
 * token is gone and nothing settles: the library has gone on by then.
 */
function waitForToken(plan: TaskPlan, input: Json, scope: RunScope, timeoutSeconds: number): Promise<Json> {
  const heartbeatSeconds = seconds(plan.heartbeat, input, scope.context);
  const { promise, resolve, reject } = Promise.withResolvers<Json>();
  let state: "invoking" | "waiting" | "over" = "invoking";
  let heartbeat: NodeJS.Timeout | undefined;
  const end = (then: () => void): void => {
    if (state === "over") return;
    if (state === "waiting") scope.activity.begin();
    state = "over";
    scope.tokens.close(token);
    clearTimeout(timeout);
    clearTimeout(heartbeat);
    scope.signal.removeEventListener("abort", giveUp);
    then();
  };
  const giveUp = (): void => end(() => {});
  const beat = (): void => {
    clearTimeout(heartbeat);
    if (heartbeatSeconds === undefined) return;
    const missed = new StateError("States.HeartbeatTimeout", `no heartbeat for ${heartbeatSeconds} s`);
    heartbeat = setTimeout(() => end(() => reject(missed)), heartbeatSeconds * 1000);
  };
  const token = scope.tokens.open({
    heartbeat: beat,
    succeed: (output) => end(() => resolve(output)),
    fail: (error, cause) => end(() => reject(new StateError(error, cause))),
  });
  const timeout = setTimeout(giveUp, timeoutSeconds * 1000);
  scope.signal.addEventListener("abort", giveUp);
  beat();
  invoke(plan, input, scope, { ...scope.context, Task: { Token: token } }).then(
    () => {
      if (state !== "invoking") return;
      state = "waiting";
      scope.activity.end();
    },
    (error: unknown) => end(() => reject(error)),
  );
  return promise;
}
