import { byAnswer, givingUp as ending, givenUp, lambdaTask, lambdaWait, unknownAnswer } from "../lambdaTask.ts";

const ids = { "planId.$": "$.planId", "round.$": "$.round" };
/** Of one wait: an execution of Step Functions lasts a year at most, so a longer wait goes on in the next one. */
const waitSeconds = 300 * 24 * 3600;

const invoke = (task: string) => ({ ...lambdaTask({ task, ...ids }), ResultPath: null, Catch: ending });
const awaitToken = (task: string) => ({
  ...lambdaWait({ task, ...ids }),
  TimeoutSeconds: waitSeconds,
  ResultPath: "$.next",
  Catch: [{ ErrorEquals: ["States.Timeout"], ResultPath: null, Next: "Continue" }, ...ending],
});

/**
 * Waits for one round of a release plan: until it executes, then until it has ended. The record of the plan decides;
 * calls, times and ends of tasks change it and settle the token. Six transitions a round, however long it waits.
 * Input: `{ planId, round }`.
 */
export const definition = {
  Comment: "Wait for one round of a release plan",
  StartAt: "AwaitStart",
  States: {
    AwaitStart: { ...awaitToken("awaitStart"), Next: "Started" },
    Started: byAnswer("$.next.do", { arm: "Arm", end: "Conclude" }),
    Arm: { ...invoke("arm"), Next: "AwaitEnd" },
    AwaitEnd: { ...awaitToken("awaitEnd"), Next: "Ended" },
    Ended: byAnswer("$.next.do", { start: "AwaitStart", end: "Conclude" }),
    UnknownAnswer: unknownAnswer,
    Conclude: { ...invoke("conclude"), End: true },
    Continue: { ...invoke("continue"), End: true },
    GiveUp: {
      ...lambdaTask({ task: "giveUp", ...ids, "error.$": "$.error.Cause" }),
      ResultPath: null,
      Next: "GivenUp",
    },
    GivenUp: givenUp,
  },
};
