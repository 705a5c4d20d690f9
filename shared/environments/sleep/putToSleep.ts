import { isDeepStrictEqual } from "node:util";
import { storeText } from "../../base/aws/objects/objectStore.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import type { LiveObject } from "../../kube/client/ClusterClient.ts";
import { describe, refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { activityOf, restOf, rests } from "../../kube/sleep/activity.ts";
import { remember } from "../../kube/sleep/memory.ts";
import { readSleepable } from "../../kube/sleep/readSleepable.ts";
import { ChangeSuperseded, requireCurrentChange } from "../change/changeControl.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { Change } from "../store/changes.ts";
import { findWholeEnvironment } from "../store/environments.ts";
import { recordActivities } from "../store/sleepMemory.ts";
import { recall } from "./recall.ts";
import { setAll } from "./setAll.ts";

/** A workload that is changed at the same moment is put to rest again; one that something always wakes is reported. */
const maxRounds = 4;

/**
 * Puts every workload of an environment to rest: no replicas, CronJobs suspended. What each asked for is remembered before
 * it is touched, so the step may end anywhere and be repeated.
 * @throws EnvironmentProblem naming what could not be put to rest; ClusterError; ChangeSuperseded
 */
export async function putToSleep(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  const whole = await findWholeEnvironment(change.projectKey, change.envKey, { consistent: true });
  const kinds = whole?.services.flatMap(({ workloads }) => workloads) ?? [];
  const { client } = await openCluster(change.clusterId);
  for (let round = 1; ; round++) {
    const live = await readSleepable(client, change, kinds);
    await keep(change, live);
    const awake = live.filter((object) => !rests(activityOf(object)));
    if (awake.length === 0) return;
    if (round === maxRounds) {
      const names = awake.map((object) => describe(refOf(object))).join(", ");
      throw new EnvironmentProblem(`something else sets the replicas of ${names} again, an operator or an autoscaler`);
    }
    await setAll(
      client,
      awake.map((object) => ({ object, activity: restOf(object) })),
    );
  }
}

async function keep(change: Change, live: readonly LiveObject[]): Promise<void> {
  const before = await recall(change);
  const memory = remember(live, before ?? []);
  if (isDeepStrictEqual(memory, before)) return;
  try {
    await recordActivities(change, await storeText(JSON.stringify(memory)));
  } catch (error) {
    if (error instanceof ConditionFailed) throw new ChangeSuperseded(change.changeId);
    throw error;
  }
}
