import {
  byAnswer,
  givingUp as ending,
  givenUp,
  lambdaTask,
  lambdaWait,
  type Payload,
  unknownAnswer,
} from "../lambdaTask.ts";

const ids = { "ownerId.$": "$.ownerId", "taskId.$": "$.taskId", "attempt.$": "$.attempt" };

const invoke = (task: string, payload: Payload = {}) => lambdaTask({ task, ...ids, ...payload });
const awaitToken = (task: string, payload: Payload) => lambdaWait({ task, ...ids, ...payload });

/**
 * After so long a job that told nothing is looked at again: it may wait for people for as long as they like. Between
 * two looks the reconciler has an eye on it.
 */
const lookSeconds = 24 * 3600;

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
    WhatNext: byAnswer("$.step.do", { jobs: "Jobs", approve: "AwaitApproval", end: "Conclude", nothing: "Done" }),
    UnknownAnswer: unknownAnswer,
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
          RunJob: {
            ...awaitToken("runJob", { "job.$": "$.job" }),
            TimeoutSeconds: lookSeconds,
            Catch: [{ ErrorEquals: ["States.Timeout"], ResultPath: null, Next: "RunJob" }],
            ResultPath: null,
            End: true,
          },
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
