import type { ChangeKind } from "../../../shared/environments/store/changes.ts";
import {
  byAnswer,
  givenUp,
  helmFunction,
  lambdaTask,
  lambdaWait,
  type Payload,
  retries,
  taskFunction,
  unknownAnswer,
} from "../lambdaTask.ts";

/** A superseded change is finished and never repeated. */
const Retry = [{ ErrorEquals: ["ChangeSuperseded"], MaxAttempts: 0 }, ...retries];

const ending = [
  { ErrorEquals: ["ChangeSuperseded"], ResultPath: "$.error", Next: "Superseded" },
  { ErrorEquals: ["States.ALL"], ResultPath: "$.error", Next: "GiveUp" },
];

const ids = { "changeId.$": "$.changeId" };

const invoke = (task: string, payload: Payload = {}, functionName = taskFunction) => ({
  ...lambdaTask({ task, ...ids, ...payload }, functionName),
  Retry,
});

/** A step of a group for each of `items`, several at once. Names of states are unique in the whole machine. */
function applyEach(items: string, state: string, step: object) {
  return {
    Type: "Map",
    ItemsPath: items,
    MaxConcurrency: 8,
    ItemSelector: { "changeId.$": "$.changeId", "item.$": "$$.Map.Item.Value" },
    ItemProcessor: {
      ProcessorConfig: { Mode: "INLINE" },
      StartAt: state,
      States: { [state]: { ...step, ResultPath: null, End: true } },
    },
    ResultPath: null,
    Next: "MustWait",
  };
}

/**
 * Creates, updates and deletes environments, puts them to sleep and wakes them, makes them bases of sub-environments and
 * ends that, runs the tests of a release. Service groups one after another, the services of a group in parallel; readiness is awaited by task token. Input: `{ changeId }`; everything
 * else is in the store.
 */
export const definition = {
  Comment: "Work off one change of an environment",
  StartAt: "Prepare",
  TimeoutSeconds: 2400,
  States: {
    Prepare: {
      ...invoke("prepare"),
      ResultSelector: {
        "kind.$": "$.Payload.kind",
        "charts.$": "$.Payload.charts",
        "groups.$": "$.Payload.groups",
        "services.$": "$.Payload.services",
      },
      ResultPath: "$.plan",
      Catch: ending,
      Next: "WhatKind",
    },
    WhatKind: byAnswer("$.plan.kind", {
      create: "Groups",
      add: "Groups",
      update: "Groups",
      portal: "Groups",
      delete: "RemoveServices",
      sleep: "Sleep",
      wake: "Wake",
      share: "Share",
      unshare: "Unshare",
      test: "Test",
    } satisfies Record<ChangeKind, string>),
    UnknownAnswer: unknownAnswer,
    Groups: {
      Type: "Map",
      ItemsPath: "$.plan.groups",
      MaxConcurrency: 1,
      ItemSelector: {
        "changeId.$": "$.changeId",
        "charts.$": "$.plan.charts",
        "group.$": "$$.Map.Item.Index",
        "services.$": "$$.Map.Item.Value.services",
        "batches.$": "$$.Map.Item.Value.batches",
        "awaited.$": "$$.Map.Item.Value.awaited",
        "wait.$": "$$.Map.Item.Value.wait",
        "timeoutSeconds.$": "$$.Map.Item.Value.timeoutSeconds",
      },
      ItemProcessor: {
        ProcessorConfig: { Mode: "INLINE" },
        StartAt: "AreCharts",
        States: {
          AreCharts: {
            Type: "Choice",
            Choices: [{ Variable: "$.charts", BooleanEquals: true, Next: "ApplyReleases" }],
            Default: "ApplyServices",
          },
          ApplyReleases: applyEach(
            "$.services",
            "ApplyRelease",
            invoke("apply", { "service.$": "$.item" }, helmFunction),
          ),
          ApplyServices: applyEach("$.batches", "ApplyBatch", invoke("applyServices", { "services.$": "$.item" })),
          MustWait: {
            Type: "Choice",
            Choices: [{ Variable: "$.wait", BooleanEquals: true, Next: "AwaitReady" }],
            Default: "GroupDone",
          },
          AwaitReady: {
            ...lambdaWait({ task: "awaitReady", ...ids, "group.$": "$.group", "services.$": "$.awaited" }),
            Retry,
            TimeoutSecondsPath: "$.timeoutSeconds",
            Catch: [{ ErrorEquals: ["States.Timeout"], ResultPath: null, Next: "GroupDone" }],
            ResultPath: null,
            Next: "GroupDone",
          },
          GroupDone: { Type: "Succeed" },
        },
      },
      ResultPath: null,
      Catch: ending,
      Next: "Conclude",
    },
    Sleep: { ...invoke("sleep"), ResultPath: null, Catch: ending, Next: "Conclude" },
    Wake: { ...invoke("wake"), ResultPath: null, Catch: ending, Next: "Conclude" },
    Share: { ...invoke("share"), ResultPath: null, Catch: ending, Next: "Conclude" },
    Unshare: { ...invoke("unshare"), ResultPath: null, Catch: ending, Next: "Conclude" },
    Test: { ...invoke("test", {}, helmFunction), ResultPath: null, Catch: ending, Next: "Conclude" },
    Conclude: { ...invoke("conclude"), ResultPath: null, Catch: ending, Next: "Done" },
    RemoveServices: {
      Type: "Map",
      ItemsPath: "$.plan.services",
      MaxConcurrency: 8,
      ItemSelector: { "changeId.$": "$.changeId", "service.$": "$$.Map.Item.Value" },
      ItemProcessor: {
        ProcessorConfig: { Mode: "INLINE" },
        StartAt: "RemoveService",
        States: {
          RemoveService: { ...invoke("removeService", { "service.$": "$.service" }), ResultPath: null, End: true },
        },
      },
      ResultPath: null,
      Catch: ending,
      Next: "RemoveEnvironment",
    },
    RemoveEnvironment: { ...invoke("removeEnvironment"), ResultPath: null, Catch: ending, Next: "Done" },
    GiveUp: { ...invoke("giveUp", { "error.$": "$.error.Cause" }), ResultPath: null, Next: "GivenUp" },
    GivenUp: givenUp,
    Superseded: { Type: "Succeed" },
    Done: { Type: "Succeed" },
  },
};
