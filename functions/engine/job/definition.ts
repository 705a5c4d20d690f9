import { givingUp as ending, lambdaTask, lambdaWait, type Payload } from "../lambdaTask.ts";

const name = "${JobFunction}";
const ids = { "ownerId.$": "$.ownerId", "taskId.$": "$.taskId", "job.$": "$.job" };

const invoke = (task: string, payload: Payload = {}) => lambdaTask(name, { task, ...ids, ...payload });
const awaitToken = (task: string) => ({ ...lambdaWait(name, { task, ...ids }), ResultPath: null });

const outcome = {
  ResultSelector: { "next.$": "$.Payload.next" },
  ResultPath: "$.outcome",
  Catch: ending,
  Next: "WhatNext",
};

/**
 * Runs one job of a task: begins it, waits by token for whatever it started, ends it. Four transitions whatever its
 * length, besides error policies (decisions 7.3). Input: `{ ownerId, taskId, job, timeoutSeconds }`.
 */
export const definition = {
  Comment: "Run one job of a task",
  StartAt: "Run",
  States: {
    Run: {
      ...awaitToken("begin"),
      TimeoutSecondsPath: "$.timeoutSeconds",
      Catch: [{ ErrorEquals: ["States.Timeout"], ResultPath: null, Next: "TimeOut" }, ...ending],
      Next: "Finish",
    },
    Finish: { ...invoke("finish"), ...outcome },
    TimeOut: { ...invoke("timeOut"), ...outcome },
    WhatNext: {
      Type: "Choice",
      Choices: [
        { Variable: "$.outcome.next", StringEquals: "again", Next: "BeforeRetry" },
        { Variable: "$.outcome.next", StringEquals: "ask", Next: "AwaitDecision" },
      ],
      Default: "Done",
    },
    BeforeRetry: { Type: "Wait", Seconds: 10, Next: "Run" },
    AwaitDecision: { ...awaitToken("awaitDecision"), Catch: ending, Next: "Finish" },
    GiveUp: { ...invoke("giveUp", { "error.$": "$.error.Cause" }), ResultPath: null, Next: "Done" },
    Done: { Type: "Succeed" },
  },
};
