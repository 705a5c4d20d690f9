import type { LiveObject } from "../client/ClusterClient.ts";
import { conditionOf } from "../live/conditions.ts";
import { workloadReady } from "../live/workloadReady.ts";
import { type InstanceProblem, problemsOf } from "./instanceProblem.ts";
import { creationSentence } from "./sentences.ts";
import type { Warning } from "./warnings.ts";

/** What keeps a workload from having the pods that it should have. `warnings` about this object, newest last. */
export function workloadProblems(object: LiveObject, warnings: readonly Warning[]): InstanceProblem[] {
  const { state, reason } = workloadReady(object);
  if (state === "ready") return [];
  const problem = problemsOf(object);
  const refused = conditionOf(object, "ReplicaFailure");
  if (refused?.status === "True")
    return [problem(refused.reason, creationSentence(refused.message), refused.lastTransitionTime)];
  const told = warnings.findLast((warning) => warning.reason === "FailedCreate");
  if (told !== undefined) return [problem(told.reason, creationSentence(told.message), told.firstSeen)];
  const stalled = conditionOf(object, "Progressing") ?? conditionOf(object, "Failed") ?? conditionOf(object, "Ready");
  const word = state === "failed" ? stalled?.reason || "Failed" : "NotReady";
  return [problem(word, reason, stalled?.lastTransitionTime)];
}
