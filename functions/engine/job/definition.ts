import type { AfterJob } from "../../../shared/workflows/tasks/jobSteps.ts";
import {
  byAnswer,
  givingUp as ending,
  givenUp,
  helmFunction,
  lambdaTask,
  lambdaWait,
  type Payload,
  unknownAnswer,
} from "../lambdaTask.ts";

const ids = { "ownerId.$": "$.ownerId", "taskId.$": "$.taskId", "job.$": "$.job" };

const invoke = (task: string, payload: Payload = {}) => lambdaTask({ task, ...ids, ...payload });
const awaitToken = (task: string) => ({ ...lambdaWait({ task, ...ids }), ResultPath: null });

const outcome = {
  ResultSelector: { "after.$": "$.Payload" },
  ResultPath: "$.outcome",
  Catch: ending,
  Next: "WhatNext",
};

/**
 * Runs one job of a task: begins it, waits by token for whatever it started, ends it. Four transitions whatever its
 * length, besides error policies (decisions 7.3), waits for work that does not report its end, three for each look,
 * steps of rollouts that a user holds, and charts: the deployment is started before Helm brings in the release, and
 * awaited after that.
 * Input: `{ ownerId, taskId, job, timeoutSeconds }`.
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
    WhatNext: byAnswer("$.outcome.after.next", {
      done: "Done",
      again: "BeforeRetry",
      begin: "Run",
      ask: "AwaitDecision",
      later: "BeforeNextLook",
      helm: "BringRelease",
    } satisfies Record<AfterJob["next"], string>),
    UnknownAnswer: unknownAnswer,
    BringRelease: {
      ...lambdaTask({ task: "deploy", ...ids, "deploy.$": "$.outcome.after.deploy" }, helmFunction),
      ResultPath: null,
      Catch: ending,
      Next: "Run",
    },
    BeforeNextLook: { Type: "Wait", SecondsPath: "$.outcome.after.seconds", Next: "Finish" },
    BeforeRetry: { Type: "Wait", Seconds: 10, Next: "Run" },
    AwaitDecision: {
      ...awaitToken("awaitDecision"),
      TimeoutSecondsPath: "$.outcome.after.seconds",
      Catch: [{ ErrorEquals: ["States.Timeout"], ResultPath: null, Next: "Finish" }, ...ending],
      Next: "Finish",
    },
    GiveUp: { ...invoke("giveUp", { "error.$": "$.error.Cause" }), ResultPath: null, Next: "GivenUp" },
    GivenUp: givenUp,
    Done: { Type: "Succeed" },
  },
};
