import { settleTask } from "../clients/states/stateMachines.ts";
import type { WorkloadReadiness } from "../deploy/watchReadiness.ts";
import { notePlan } from "../store/changes.ts";
import { type ReadinessWait, removeWait } from "../store/readinessWaits.ts";
import { ConditionFailed } from "../store/table.ts";
import { table } from "../store/theTable.ts";

/**
 * Ends a wait: notes per service whether it is ready and why not, lets the state machine go on, forgets the wait. Any
 * step may be repeated; a token that nobody waits on any more is no error.
 * @param progress readiness of the wait's workloads as far as it was seen
 */
export async function settleWait(wait: ReadinessWait, progress: readonly WorkloadReadiness[]): Promise<void> {
  for (const service of new Set(wait.workloads.map((workload) => workload.service))) {
    const notReady = reasonsOf(wait, service, progress);
    const note = notReady.length === 0 ? { ready: true } : { ready: false, notReady: notReady.join("; ") };
    try {
      await table().write(notePlan(wait.changeId, service, note));
    } catch (error) {
      // The plan was forgotten with its change.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
  await settleTask(wait.taskToken, {});
  await removeWait(wait);
}

function reasonsOf(wait: ReadinessWait, service: string, progress: readonly WorkloadReadiness[]): string[] {
  const own = wait.workloads.filter((workload) => workload.service === service);
  return own.flatMap(({ kind, name }) => {
    const seen = progress.find(({ ref }) => ref.kind === kind && ref.name === name);
    if (seen?.state === "ready") return [];
    return [`${kind} "${name}" ${seen?.reason ?? "could not be read in time"}`];
  });
}
