import { mustBeOneOf } from "../../base/store/conditions.ts";
import { dues, jobWaitPrefix, keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../base/store/tableClient.ts";
import { overwrite, remove } from "../../base/store/writes.ts";

/** A job in containers whose end is awaited by a task token. */
export interface JobWait {
  clusterId: string;
  namespace: string;
  name: string;
  jobRecordId: string;
  taskToken: string;
  /** Unix seconds. */
  deadline: number;
}

/** Puts a wait; a later attempt of the same step replaces the token of the one before. */
export async function putJobWait(wait: JobWait): Promise<void> {
  await table().write(
    overwrite({
      ...wait,
      ...keys.jobWait(wait.clusterId, wait.namespace, wait.name),
      type: "job-wait",
      duePk: dues.jobWaits,
      dueSk: wait.clusterId,
      ttl: wait.deadline + 24 * 3600,
    }),
  );
}

export function jobWaitsOf(clusterId: string): Promise<Item<JobWait>[]> {
  return table().query<JobWait>({ pk: keys.jobWait(clusterId, "", "").pk, prefix: jobWaitPrefix });
}

/** Only the wait that was settled: a newer one of the same job stays. */
export async function removeJobWait(wait: JobWait): Promise<void> {
  await removeIf(wait, mustBeOneOf("taskToken", [wait.taskToken]));
}

/** Removes the wait for the job, whichever token waits. */
export async function removeHeldJobWait(
  job: Pick<JobWait, "clusterId" | "namespace" | "name" | "jobRecordId">,
): Promise<void> {
  await removeIf(job, mustBeOneOf("jobRecordId", [job.jobRecordId]));
}

/** Ids of the clusters on which a job is awaited. */
export async function clustersWithJobWaits(): Promise<string[]> {
  const items = await table().query<{ dueSk: string }>({ index: "due", pk: dues.jobWaits });
  return [...new Set(items.map(({ dueSk }) => dueSk))];
}

async function removeIf(
  { clusterId, namespace, name }: Pick<JobWait, "clusterId" | "namespace" | "name">,
  condition: ReturnType<typeof mustBeOneOf>,
): Promise<void> {
  try {
    await table().write(remove(keys.jobWait(clusterId, namespace, name), condition));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
