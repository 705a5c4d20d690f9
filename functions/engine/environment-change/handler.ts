import * as z from "zod";
import { invokeLater } from "../../../shared/base/aws/functions/invokeLater.ts";
import { log } from "../../../shared/base/settings/log.ts";
import { table } from "../../../shared/base/store/table.ts";
import { ConditionFailed } from "../../../shared/base/store/tableClient.ts";
import { leaveCluster } from "../../../shared/environments/apply/leaveCluster.ts";
import { removeServiceObjects } from "../../../shared/environments/apply/removeServiceObjects.ts";
import { ChangeSuperseded, requireCurrentChange } from "../../../shared/environments/change/changeControl.ts";
import { failChange } from "../../../shared/environments/change/failChange.ts";
import { EnvironmentProblem, reasonOf } from "../../../shared/environments/failures.ts";
import { disableShare } from "../../../shared/environments/mesh/disableShare.ts";
import { enableShare } from "../../../shared/environments/mesh/enableShare.ts";
import { putToSleep } from "../../../shared/environments/sleep/putToSleep.ts";
import { recall } from "../../../shared/environments/sleep/recall.ts";
import { setAll } from "../../../shared/environments/sleep/setAll.ts";
import { concludeChange, findChange } from "../../../shared/environments/store/changes.ts";
import { removeEnvironmentParts, removeEnvironmentWrites } from "../../../shared/environments/store/environments.ts";
import { findScheduled, type SchedulePlace } from "../../../shared/environments/store/sleepSchedules.ts";
import { openCluster } from "../../../shared/kube/clusters/openCluster.ts";
import { toWake } from "../../../shared/kube/sleep/memory.ts";
import { readSleepable } from "../../../shared/kube/sleep/readSleepable.ts";
import { continueProjectDeletion } from "../../../shared/lifecycle/startProjectDeletion.ts";
import { applyServices } from "./applyServices.ts";
import { awaitReady } from "./awaitReady.ts";
import { conclude } from "./conclude.ts";
import { prepare } from "./prepare.ts";
import { tellingWhy } from "./tellingWhy.ts";

const changeId = z.string();
const service = z.string();

const taskEvent = z.discriminatedUnion("task", [
  z.object({ task: z.literal("prepare"), changeId }),
  z.object({ task: z.literal("applyServices"), changeId, services: z.array(service) }),
  // Of executions that an older version began.
  z.object({ task: z.literal("applyService"), changeId, service }),
  z.object({
    task: z.literal("awaitReady"),
    changeId,
    group: z.int(),
    services: z.array(z.string()),
    taskToken: z.string(),
  }),
  z.object({ task: z.literal("sleep"), changeId }),
  z.object({ task: z.literal("wake"), changeId }),
  z.object({ task: z.literal("share"), changeId }),
  z.object({ task: z.literal("unshare"), changeId }),
  z.object({ task: z.literal("conclude"), changeId }),
  z.object({ task: z.literal("removeService"), changeId, service }),
  z.object({ task: z.literal("removeEnvironment"), changeId }),
  z.object({ task: z.literal("giveUp"), changeId, error: z.string() }),
]);

/**
 * The task handlers of the state machine `environment-change`; each may run twice with the same outcome. What a cluster
 * refuses fails in words for users.
 */
export async function handler(event: unknown): Promise<unknown> {
  const task = taskEvent.parse(event);
  try {
    return await run(task);
  } catch (error) {
    const reason = reasonOf(error);
    throw reason === undefined ? error : new EnvironmentProblem(reason);
  }
}

function run(task: z.infer<typeof taskEvent>): Promise<unknown> {
  switch (task.task) {
    case "prepare":
      return prepare(task.changeId);
    case "applyServices":
      return applyServices(task.changeId, task.services);
    case "applyService":
      return applyServices(task.changeId, [task.service]);
    case "awaitReady":
      return awaitReady(task);
    case "sleep":
      return putToSleep(task.changeId);
    case "wake":
      return wakeUp(task.changeId);
    case "share":
      return enableShare(task.changeId);
    case "unshare":
      return disableShare(task.changeId);
    case "conclude":
      return conclude(task.changeId);
    case "removeService":
      return removeService(task.changeId, task.service);
    case "removeEnvironment":
      return removeEnvironment(task.changeId);
    case "giveUp":
      return giveUp(task.changeId, task.error);
  }
}

/** The change cannot be finished: the environment says why, and everything can be asked for again. */
async function giveUp(changeId: string, cause: string): Promise<void> {
  log.error("change given up", { changeId, internal: cause.slice(0, 2000) });
  const change = await findChange(changeId);
  if (change === undefined) return;
  const reason = reasonIn(cause) ?? "the platform failed";
  await failChange(change, `${reason} (change ${changeId}); try again`);
}

/** A failed function's cause is JSON; the text of an EnvironmentProblem alone is meant for users. */
function reasonIn(cause: string): string | undefined {
  try {
    const { errorType, errorMessage } = JSON.parse(cause);
    return errorType === "EnvironmentProblem" && typeof errorMessage === "string" ? errorMessage : undefined;
  } catch {
    return undefined;
  }
}

/** Deletes the objects of one service of an environment that is being deleted (contract P 17.1). */
async function removeService(changeId: string, service: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  await tellingWhy(change, async () => {
    await removeServiceObjects(change, service, change.deleteCrds);
  });
}

/** The end of a deletion: namespace or labels, then the records, the environment's own last (contract P 4.7, 17). */
async function removeEnvironment(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  await tellingWhy(change, () => leaveCluster(change));
  await dropSleepSchedule(change);
  try {
    await removeEnvironmentParts(change);
    await table().write(...removeEnvironmentWrites(change), ...concludeChange(change, "done", ""));
  } catch (error) {
    // The same step ran twice and the other one was faster.
    if (error instanceof ConditionFailed) throw new ChangeSuperseded(changeId);
    throw error;
  }
  await continueProjectDeletion(change.projectKey);
}

/** Has the schedules of an environment that is being deleted taken away (contract P 17.1); may be repeated. */
async function dropSleepSchedule({ projectKey, envKey, environmentId }: SchedulePlace): Promise<void> {
  const found = await findScheduled({ projectKey, envKey }, { consistent: true });
  if (found?.schedule === undefined) return;
  await invokeLater("sleep-schedule", { projectKey, envKey, environmentId });
}

/**
 * Gives every workload that was put to rest what it asked for before. The memory stays until the change is concluded, and
 * what is awake is left alone, so the step may end anywhere and be repeated.
 * @throws EnvironmentProblem naming what could not be woken; ClusterError; ChangeSuperseded
 */
async function wakeUp(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  const memory = await recall(change);
  if (memory === undefined) return;
  const { client } = await openCluster(change.clusterId);
  await setAll(client, toWake(await readSleepable(client, change, memory), memory));
}
