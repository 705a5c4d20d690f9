import { openCluster } from "../../clusters/openCluster.ts";
import { toWake } from "../../kube/sleep/memory.ts";
import { readSleepable } from "../../kube/sleep/readSleepable.ts";
import { requireCurrentChange } from "../changeControl.ts";
import { recall } from "./recall.ts";
import { setAll } from "./setAll.ts";

/**
 * Gives every workload that was put to rest what it asked for before. The memory stays until the change is concluded, and
 * what is awake is left alone, so the step may end anywhere and be repeated.
 * @throws EnvironmentProblem naming what could not be woken; ClusterError; ChangeSuperseded
 */
export async function wakeUp(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  const memory = await recall(change);
  if (memory === undefined) return;
  const { client } = await openCluster(change.clusterId);
  await setAll(client, toWake(await readSleepable(client, change, memory), memory));
}
