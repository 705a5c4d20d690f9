import { byAnswer, givingUp as ending, givenUp, lambdaTask, unknownAnswer } from "../lambdaTask.ts";

const ids = { "versionId.$": "$.versionId", "attempt.$": "$.attempt" };

const invoke = (task: string) => ({ ...lambdaTask({ task, ...ids }), ResultPath: null, Catch: ending });

/**
 * Makes a delivery version of what was asked for (decisions 14.1). A copy that lasts longer than a function may is gone on
 * with by the next call of it, for as long as decisions 14.3 lets it. Input: `{ versionId, attempt }`.
 */
export const definition = {
  Comment: "Bring the images of a delivery version to where it promises them",
  StartAt: "Resolve",
  TimeoutSeconds: 7 * 3600,
  States: {
    Resolve: { ...invoke("resolve"), Next: "Charts" },
    Charts: { ...invoke("charts"), Next: "Copy" },
    Copy: {
      ...invoke("copy"),
      ResultSelector: { "do.$": "$.Payload.do" },
      ResultPath: "$.copy",
      Next: "IsCopied",
    },
    IsCopied: byAnswer("$.copy.do", { again: "Copy", end: "Conclude" }),
    UnknownAnswer: unknownAnswer,
    Conclude: { ...invoke("conclude"), End: true },
    GiveUp: {
      ...lambdaTask({ task: "giveUp", ...ids, "error.$": "$.error.Cause" }),
      ResultPath: null,
      Next: "GivenUp",
    },
    GivenUp: givenUp,
  },
};
