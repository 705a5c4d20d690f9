/** A task that invokes a function with the whole input and puts out what it returned. */
export function invoke(functionName: string, rest: object = { End: true }) {
  return {
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    Parameters: { FunctionName: functionName, "Payload.$": "$" },
    OutputPath: "$.Payload",
    ...rest,
  };
}

/** A task that gives a function `{ taskToken, input }` and waits for the token. */
export function waitForToken(functionName: string, rest: object = { End: true }) {
  return {
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
    Parameters: { FunctionName: functionName, Payload: { "input.$": "$", "taskToken.$": "$$.Task.Token" } },
    ...rest,
  };
}
