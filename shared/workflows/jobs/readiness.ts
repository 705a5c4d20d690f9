import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { findOutcome } from "../../environments/store/readinessOutcomes.ts";
import { type AwaitedWorkload, putWait, removeWait } from "../../environments/store/readinessWaits.ts";
import { wakeWatcher } from "../../environments/waits/wakeWatcher.ts";
import { tryName } from "../records/rules/tryName.ts";
import type { JobEnd } from "../records/task.ts";
import { failed, type JobRun, type Waiting } from "./runner.ts";

/** Where the workloads are that a job waits for. */
export interface WaitPlace {
  clusterId: string;
  environmentId: string;
  namespace: string;
}

/** The watcher says why something is not ready a moment before the machine only says that the time is up. */
const headStartSeconds = 2;

/**
 * Leaves the job's token to the watcher of a cluster until workloads are ready, one of them failed, or time is up.
 * @param result is kept meanwhile
 */
export function awaitWorkloads(
  run: JobRun,
  place: WaitPlace,
  workloads: readonly AwaitedWorkload[],
  result?: Record<string, unknown>,
): Waiting {
  return {
    waits: true,
    ...(result && { set: { result } }),
    leave: async () => {
      await putWait(waitOf(run, place, workloads));
      await enableReconciler();
      await wakeWatcher(place.clusterId);
    },
  };
}

/** Removes the wait of the job. */
export function stopAwaiting(run: JobRun, place: WaitPlace): Promise<void> {
  return removeWait(waitOf(run, place, []));
}

function waitOf(
  { job, taskToken, deadline }: JobRun,
  { clusterId, environmentId, namespace }: WaitPlace,
  workloads: readonly AwaitedWorkload[],
) {
  const place = { clusterId, environmentId, namespace };
  return {
    ...place,
    waitId: tryName(job),
    workloads: [...workloads],
    taskToken,
    deadline: deadline - headStartSeconds,
  };
}

/** How the wait of this try ended: `ready`, or how the job ends; undefined while it continues. */
export async function readinessOf({ job }: JobRun): Promise<"ready" | JobEnd | undefined> {
  const outcome = await findOutcome(tryName(job));
  if (outcome === undefined) return undefined;
  if (outcome.notReady.length === 0) return "ready";
  const why = outcome.notReady.join("; ");
  return outcome.overdue ? { ...failed(`not ready in time: ${why}`), ending: "timeout" } : failed(`not ready: ${why}`);
}
