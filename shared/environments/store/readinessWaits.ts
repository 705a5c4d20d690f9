import { mustBeOneOf } from "../../base/store/conditions.ts";
import { dues, jobWaitPrefix, keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../base/store/tableClient.ts";
import { overwrite, remove } from "../../base/store/writes.ts";
import type { JobWait } from "../../kube/waits/jobWaits.ts";

export interface AwaitedWorkload {
  service: string;
  apiVersion: string;
  kind: string;
  name: string;
  /** The object that was applied; an older one of the same name does not count. */
  uid?: string | undefined;
  /** Its generation after the apply; an older state of it does not count. */
  generation?: number | undefined;
  /** No environment applied it: it carries no label of ours. */
  foreign?: boolean | undefined;
  /** A Job that the cluster removes some time after its end. */
  expires?: boolean | undefined;
}

/** A service group, or what a job changed, whose workloads are awaited by a task token. */
export interface ReadinessWait {
  waitId: string;
  clusterId: string;
  /** Absent where a job of a task waits: what became of it is noted beside (`readinessOutcomes.ts`). */
  changeId?: string;
  environmentId: string;
  namespace: string;
  workloads: AwaitedWorkload[];
  taskToken: string;
  /** Unix seconds. */
  deadline: number;
}

/** Puts a wait; a later attempt of the same step replaces the token of the one before. */
export async function putWait(wait: ReadinessWait): Promise<void> {
  const key = keys.readinessWait(wait.clusterId, wait.waitId);
  // A job has no change by which the reconciler would find it.
  const due = wait.changeId === undefined ? { duePk: dues.jobWaits, dueSk: wait.clusterId } : {};
  await table().write(overwrite({ ...wait, ...key, type: "readiness-wait", ...due, ttl: wait.deadline + 24 * 3600 }));
}

export async function waitsOf(clusterId: string): Promise<Item<ReadinessWait>[]> {
  return (await allWaitsOf(clusterId)).readiness;
}

/** Everything that waits for something on a cluster, by one read. */
export async function allWaitsOf(
  clusterId: string,
): Promise<{ readiness: Item<ReadinessWait>[]; jobs: Item<JobWait>[] }> {
  const items = await table().query<ReadinessWait | JobWait>({ pk: keys.readinessWait(clusterId, "").pk });
  return {
    readiness: items.filter((item): item is Item<ReadinessWait> => !item.sk.startsWith(jobWaitPrefix)),
    jobs: items.filter((item): item is Item<JobWait> => item.sk.startsWith(jobWaitPrefix)),
  };
}

/** Only the wait that was settled: a newer one under the same id stays. */
export async function removeWait(wait: ReadinessWait): Promise<void> {
  try {
    await table().write(
      remove(keys.readinessWait(wait.clusterId, wait.waitId), mustBeOneOf("taskToken", [wait.taskToken])),
    );
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
