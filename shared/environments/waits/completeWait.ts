import { completeTask } from "../../base/aws/states/stateMachines.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import type { WorkloadReadiness } from "../../kube/live/watchReadiness.ts";
import type { WaitExplanation } from "../../kube/problems/explainWait.ts";
import { recordPlan } from "../store/changes.ts";
import { recordOutcome } from "../store/readinessOutcomes.ts";
import { type ReadinessWait, removeWait } from "../store/readinessWaits.ts";

/**
 * Ends a wait: notes per service, or for the job that waits, whether it is ready and why not, lets the state machine
 * continue, forgets the wait. Any step may be repeated; a token that is no longer waited on is no error.
 * @param progress readiness of the wait's workloads as far as it was seen
 * @param explained why they are not ready, where that was looked up
 */
export async function completeWait(
  wait: ReadinessWait,
  progress: readonly WorkloadReadiness[],
  explained: readonly WaitExplanation[] = [],
): Promise<void> {
  const { changeId } = wait;
  if (changeId === undefined) {
    const notReady = reasonsOf(wait.workloads, progress);
    await recordOutcome(wait.waitId, { notReady, overdue: nowSeconds() >= wait.deadline });
  } else await noteOnPlans(changeId, wait, progress, explained);
  await completeTask(wait.taskToken, {});
  await removeWait(wait);
}

async function noteOnPlans(
  changeId: string,
  { workloads }: ReadinessWait,
  progress: readonly WorkloadReadiness[],
  explained: readonly WaitExplanation[],
): Promise<void> {
  for (const service of new Set(workloads.map((workload) => workload.service))) {
    const own = workloads.filter((workload) => workload.service === service);
    const notReady = reasonsOf(own, progress, explained);
    const note = notReady.length === 0 ? { ready: true } : { ready: false, notReady: notReady.join("; ") };
    try {
      await table().write(recordPlan(changeId, service, note));
    } catch (error) {
      // The plan was forgotten with its change.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

function reasonsOf(
  workloads: ReadinessWait["workloads"],
  progress: readonly WorkloadReadiness[],
  explained: readonly WaitExplanation[] = [],
): string[] {
  return workloads.flatMap(({ kind, name }) => {
    const isIt = ({ ref }: { ref: { kind: string; name: string } }) => ref.kind === kind && ref.name === name;
    const [seen, why] = [progress.find(isIt), explained.find(isIt)];
    if (seen?.state === "ready" || (seen === undefined && why?.state === "ready")) return [];
    return [why?.sentence || `${kind} "${name}" ${seen?.reason ?? "could not be read in time"}`];
  });
}
