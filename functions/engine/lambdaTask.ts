/** Retried: what is not the task's own fault. */
const retry = [
  { ErrorEquals: ["States.TaskFailed"], IntervalSeconds: 1, MaxAttempts: 4, BackoffRate: 2, MaxDelaySeconds: 20 },
];

/** What the function of a machine gets: references into the state's input, or texts. */
export type Payload = Readonly<Record<string, string>>;

/** Where a definition calls its machine's function: a placeholder that the infrastructure fills in. */
export const taskFunction = "${TaskFunction}";

/** The function that has Helm, as a definition calls it. */
export const helmFunction = "${HelmFunction}";

/** A task state that calls its machine's function, or another one. */
export function lambdaTask(payload: Payload, functionName = taskFunction) {
  return {
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    Parameters: { FunctionName: functionName, Payload: payload },
    Retry: retry,
  };
}

/** The same, waiting until the token that the function was given is settled. */
export function lambdaWait(payload: Payload) {
  return {
    ...lambdaTask({ ...payload, "taskToken.$": "$$.Task.Token" }),
    Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
  };
}

/** Whatever else goes wrong leads to the state that gives up. */
export const givingUp = [{ ErrorEquals: ["States.ALL"], ResultPath: "$.error", Next: "GiveUp" }];

/** The end of an execution that was given up: it failed, so that metrics, alarms and rules see it. */
export const givenUp = {
  Type: "Fail",
  Error: "GivenUp",
  Cause: "The record says what users are told; the log of the machine's function says why.",
};
