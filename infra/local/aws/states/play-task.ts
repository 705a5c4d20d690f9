import { randomBytes, randomUUID } from "node:crypto";
import { functionNameOf } from "../arns.ts";
import { AwsError } from "../aws-error.ts";
import { LONGEST_SECONDS } from "./prepare-definition.ts";
import { fields, type Json, type RunScope } from "./run-scope.ts";
import { StateError } from "./state-error.ts";

/** What `$$.Task.Token` reads as: the library has one context for all states, so the real token is put in its place. */
export const TOKEN_PLACEHOLDER = randomBytes(24).toString("hex");

/**
 * Plays a Lambda task. The time limit is the library's: it reads `timeoutSeconds` after this call began, which is why the
 * field is cut to what its timer can hold here.
 */
export async function playTask(waitsForToken: boolean, given: Json, scope: RunScope): Promise<Json> {
  const wrapped = fields(given);
  if (typeof wrapped.timeoutSeconds === "number") {
    wrapped.timeoutSeconds = Math.min(wrapped.timeoutSeconds, LONGEST_SECONDS);
  }
  const { FunctionName, Payload = {} } = fields(wrapped.request ?? null);
  const call = { name: functionNameOf(String(FunctionName)), payload: JSON.stringify(Payload) };
  if (!waitsForToken) return invoke(call, scope);
  return waitForToken(call, Number(wrapped.timeoutSeconds), wrapped.heartbeatSeconds, scope);
}

type Call = { name: string; payload: string };

async function invoke(call: Call, scope: RunScope): Promise<Json> {
  try {
    const outcome = await scope.functions.run(call.name, call.payload);
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
function waitForToken(call: Call, timeoutSeconds: number, heartbeatSeconds: unknown, scope: RunScope): Promise<Json> {
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
    if (typeof heartbeatSeconds !== "number") return;
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
  invoke({ ...call, payload: call.payload.replaceAll(TOKEN_PLACEHOLDER, token) }, scope).then(
    () => {
      if (state !== "invoking") return;
      state = "waiting";
      scope.activity.end();
    },
    (error: unknown) => end(() => reject(error)),
  );
  return promise;
}
