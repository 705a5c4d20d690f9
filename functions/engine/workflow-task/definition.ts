import { givingUp as ending, givenUp, lambdaTask, lambdaWait, type Payload } from "../lambdaTask.ts";

const ids = { "ownerId.$": "$.ownerId", "taskId.$": "$.taskId", "attempt.$": "$.attempt" };

const invoke = (task: string, payload: Payload = {}) => lambdaTask({ task, ...ids, ...payload });
const awaitToken = (task: string, payload: Payload) => lambdaWait({ task, ...ids, ...payload });

/**
 * Runs the stages of a task in order: what comes next is decided from what is stored, so that an execution that is run
 * again goes on where the last one was. Three transitions a stage, four with an approval, one a job (decisions 7.3).
 * Input: `{ ownerId, taskId, attempt }`; everything else is in the store.
 */
export const definition = {
  Comment: "Run one task of a workflow, a test or a scan",
  StartAt: "NextStep",
  States: {
    NextStep: {
      ...invoke("nextStep"),
      ResultSelector: {
        "do.$": "$.Payload.do",
        "stage.$": "$.Payload.stage",
        "jobs.$": "$.Payload.jobs",
        "concurrency.$": "$.Payload.concurrency",
        "timeoutSeconds.$": "$.Payload.timeoutSeconds",
      },
      ResultPath: "$.step",
      Catch: ending,
      Next: "WhatNext",
    },
    WhatNext: {
      Type: "Choice",
      Choices: [
        { Variable: "$.step.do", StringEquals: "jobs", Next: "Jobs" },
        { Variable: "$.step.do", StringEquals: "approve", Next: "AwaitApproval" },
        { Variable: "$.step.do", StringEquals: "end", Next: "Conclude" },
      ],
      Default: "Done",
    },
    AwaitApproval: {
      ...awaitToken("awaitApproval", { "stage.$": "$.step.stage" }),
      TimeoutSecondsPath: "$.step.timeoutSeconds",
      ResultPath: "$.step",
      Catch: [{ ErrorEquals: ["States.Timeout"], ResultPath: null, Next: "NextStep" }, ...ending],
      Next: "Jobs",
    },
    Jobs: {
      Type: "Map",
      ItemsPath: "$.step.jobs",
      MaxConcurrencyPath: "$.step.concurrency",
      ItemSelector: {
        "ownerId.$": "$.ownerId",
        "taskId.$": "$.taskId",
        "attempt.$": "$.attempt",
        "job.$": "$$.Map.Item.Value",
      },
      ItemProcessor: {
        ProcessorConfig: { Mode: "INLINE" },
        StartAt: "RunJob",
        States: {
          RunJob: { ...awaitToken("runJob", { "job.$": "$.job" }), ResultPath: null, End: true },
        },
      },
      ResultPath: null,
      Catch: ending,
      Next: "NextStep",
    },
    Conclude: { ...invoke("conclude"), ResultPath: null, Catch: ending, Next: "Done" },
    GiveUp: { ...invoke("giveUp", { "error.$": "$.error.Cause" }), ResultPath: null, Next: "GivenUp" },
    GivenUp: givenUp,
    Done: { Type: "Succeed" },
  },
};
