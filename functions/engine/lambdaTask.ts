/**
 * Errors that are Lambda's, and neither the task's nor its function's: too many executions, a failing service, an answer
 * that never came (https://docs.aws.amazon.com/step-functions/latest/dg/connect-lambda.html). Tried again for about an
 * hour, which is longer than a change may take and as long as a job may by default (decisions 18.3).
 */
const platformRetry = {
  ErrorEquals: [
    "TooManyRequestsException",
    "ServiceException",
    "SdkClientException",
    "AWSLambdaException",
    "Unknown",
  ].map((name) => `Lambda.${name}`),
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 30,
  JitterStrategy: "FULL",
  MaxAttempts: 240,
};

/** Retried: what is not the task's own fault. */
export const retries = [
  platformRetry,
  { ErrorEquals: ["States.TaskFailed"], IntervalSeconds: 1, MaxAttempts: 4, BackoffRate: 2, MaxDelaySeconds: 20 },
];

/** What the function of a machine gets: references into the state's input, or texts. */
export type Payload = Readonly<Record<string, string>>;

/** Where a definition calls its machine's function: a placeholder that the infrastructure fills in. */
export const taskFunction = "${TaskFunction}";

/** The partition, which the infrastructure fills in: `aws`, `aws-cn` or `aws-us-gov`. */
export const partition = "${Partition}";

/** The resource of a call of a function. */
const invocation = `arn:${partition}:states:::lambda:invoke`;

/** The function that has Helm, as a definition calls it. */
export const helmFunction = "${HelmFunction}";

/** A task state that calls its machine's function, or another one. */
export function lambdaTask(payload: Payload, functionName = taskFunction) {
  return {
    Type: "Task",
    Resource: invocation,
    Parameters: { FunctionName: functionName, Payload: payload },
    Retry: retries,
  };
}

/** The same, waiting until the token that the function was given is settled. */
export function lambdaWait(payload: Payload) {
  return {
    ...lambdaTask({ ...payload, "taskToken.$": "$$.Task.Token" }),
    Resource: `${invocation}.waitForTaskToken`,
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

/** Leads on by the answer of a step, each of which is named: an execution may meet the code of another release. */
export function byAnswer(Variable: string, next: Readonly<Record<string, string>>) {
  const Choices = Object.entries(next).map(([StringEquals, Next]) => ({ Variable, StringEquals, Next }));
  return { Type: "Choice", Choices, Default: "UnknownAnswer" };
}

/** Leads an answer that the definition does not know to the state that gives up, so that it does not end as if all were done. */
export const unknownAnswer = {
  Type: "Pass",
  Result: { Error: "UnknownAnswer", Cause: "The execution began with another release, which knows no such answer." },
  ResultPath: "$.error",
  Next: "GiveUp",
};
