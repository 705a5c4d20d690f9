import * as z from "zod";
import { closeForgotten, countPending } from "../../../shared/access/audit/closeForgotten.ts";
import { hasExpiredOperations, retainOperations } from "../../../shared/access/audit/retainOperations.ts";
import { countUnsealed, sealOperations } from "../../../shared/access/audit/store/sealOperations.ts";
import { finishGroupRemoval } from "../../../shared/access/identity/removeGroup.ts";
import { finishUserRemoval } from "../../../shared/access/identity/removeUser.ts";
import { dueCollaborations, hasPassingCopies } from "../../../shared/access/identity/store/collaborations.ts";
import { invokeLater } from "../../../shared/base/aws/functions/invokeLater.ts";
import {
  switchReconcilerSchedule,
  switchSweepSchedule,
} from "../../../shared/base/aws/schedules/reconcilerSchedule.ts";
import { type AskStatus, executionStatus, manyExecutions } from "../../../shared/base/aws/states/stateMachines.ts";
import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { embedFigure } from "../../../shared/base/metrics/embedFigure.ts";
import {
  type ReconcilerCalls,
  readReconcilerCalls,
  recordQuiet,
} from "../../../shared/base/reconciling/reconcilerCalls.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { log } from "../../../shared/base/settings/log.ts";
import { dueIdentityRemovals, dueProjectDeletions, dueServiceRemovals } from "../../../shared/base/store/dueWork.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { table } from "../../../shared/base/store/table.ts";
import { tryWrite } from "../../../shared/base/store/tryWrite.ts";
import { openStatuses } from "../../../shared/delivery/rules/version.ts";
import { executionName, startVersion } from "../../../shared/delivery/startVersion.ts";
import {
  endVersion,
  findVersion,
  isBeingRemoved,
  openVersions,
  removeVersionParts,
  setAttempt,
} from "../../../shared/delivery/store/versions.ts";
import { reconcileChange } from "../../../shared/environments/change/reconcileChange.ts";
import { finishServiceRemoval } from "../../../shared/environments/change/removeServices.ts";
import { followConfigs } from "../../../shared/environments/follow/followConfigs.ts";
import { openChanges } from "../../../shared/environments/store/changes.ts";
import { hasFollowed } from "../../../shared/environments/store/followedConfigs.ts";
import {
  findRollout,
  openRollouts,
  removeRollout,
  type WorkloadPlace,
} from "../../../shared/environments/store/rollouts.ts";
import { dueSleepSchedules } from "../../../shared/environments/store/sleepSchedules.ts";
import { wakeWatcher } from "../../../shared/environments/waits/wakeWatcher.ts";
import { findOwnersWithPendingApprovals } from "../../../shared/integrations/approvals/store/pendingApprovals.ts";
import { dueDeliveries, isHeld } from "../../../shared/integrations/notify/store/deliveries.ts";
import { clustersWithJobWaits } from "../../../shared/kube/waits/jobWaits.ts";
import { tidyCopies } from "../../../shared/lifecycle/collaborations/endMode.ts";
import { dueTaskRemovals, finishTaskRemoval } from "../../../shared/lifecycle/retention/removeTask.ts";
import { sweepProjects } from "../../../shared/lifecycle/retention/sweepProjects.ts";
import { continueProjectDeletion } from "../../../shared/lifecycle/startProjectDeletion.ts";
import { describeImage } from "../../../shared/packaging/artifacts/describeImage.ts";
import { dueArtifacts } from "../../../shared/packaging/artifacts/store/artifacts.ts";
import { dueRegistryRefreshes, hasRegistryRefreshes } from "../../../shared/packaging/registries/store/registries.ts";
import { dueTemplateSyncs } from "../../../shared/projects/services/store/templateFollowers.ts";
import { continueSync } from "../../../shared/projects/services/syncTemplate.ts";
import { hasRetentions } from "../../../shared/projects/store/retentions.ts";
import { findPlansWithEffects, followPlan } from "../../../shared/releaseplans/records/pendingEffects.ts";
import { giveBack } from "../../../shared/workflows/jobs/rollout/giveBack.ts";
import { findTask, openTasks, readTaskRecords } from "../../../shared/workflows/records/findTasks.ts";
import { isTaskFinal } from "../../../shared/workflows/records/rules/status.ts";
import { resumeQueues } from "../../../shared/workflows/tasks/dispatchTasks.ts";
import { cancelTasksOf } from "../../../shared/workflows/tasks/end/cancelTasksOf.ts";
import { reconcileTask } from "../../../shared/workflows/tasks/reconcileTask.ts";
import { dueHookDeliveries } from "../../../shared/workflows/triggers/records/hookDeliveries.ts";
import { dueCrons } from "../../../shared/workflows/triggers/records/triggers.ts";

const system = { uid: "", name: "system" };

/** Ends a rollout whose task has ended, however it ended (decisions 12.1); one that cannot end yet is checked again. */
async function endRollout(place: WorkloadPlace): Promise<void> {
  const rollout = await findRollout(place);
  if (rollout === undefined) return;
  const task = await findTask(rollout.ownerId, rollout.taskId);
  if (task !== undefined && !isTaskFinal(task.status)) return;
  if (!(await giveBack(place, task?.creator ?? system))) return;
  const over = await findRollout(place);
  if (over !== undefined && over.owner === rollout.owner) await removeRollout(over);
}

/** Beyond its time a version that nothing ends is ended here. */
const overdueSeconds = 600;

/** Goes on with a version that its request or its execution left behind, or with its removal. */
async function followVersion(versionId: string): Promise<void> {
  const version = await findVersion(versionId);
  if (version === undefined) {
    if (await isBeingRemoved(versionId)) await removeVersionParts(versionId);
    return;
  }
  if (!openStatuses.includes(version.status)) return;
  if (version.roundStartedAt + config().SLIPWAY_COPY_WHOLE_SECONDS + overdueSeconds <= nowSeconds()) {
    await tryWrite(table().write(endVersion(version, { status: "failed", error: "timeout" })));
    return;
  }
  const status = await executionStatus(config().SLIPWAY_DELIVERY_VERSION_ARN, executionName(version));
  if (status === "RUNNING") return;
  if (status === undefined) return startVersion(version);
  const next = { ...version, attempt: version.attempt + 1 };
  if (await tryWrite(table().write(setAttempt(version, next.attempt)))) await startVersion(next);
}

/** A start on one machine knows that the requests of the program before it have ended (Unix seconds). */
const reconcilerEvent = z.object({ requestsEndedBefore: z.int().optional() });

/**
 * Once a minute while something is open (decisions 8.3): goes on with whatever a crash left behind. Everything it does
 * may be done twice, so it needs no lock. One piece of work that fails does not stop the others.
 */
export async function handler(event?: unknown): Promise<{ open: number }> {
  const calls = await readReconcilerCalls();
  // Not counted as open: it is due again and again.
  await attempt("files of configurations", followConfigs);
  await attempt("what projects do not keep", sweepProjects);
  const open = await reconcile(reconcilerEvent.safeParse(event).data?.requestsEndedBefore);
  // At a start on one machine, and by hand, the schedule may be off while something is open.
  if (open > 0) await switchReconcilerSchedule("ENABLED");
  else if (await restReconciler(calls)) await switchSweepSchedule((await comesDueByItself()) ? "ENABLED" : "DISABLED");
  return { open };
}

async function comesDueByItself(): Promise<boolean> {
  return (
    (await hasPassingCopies()) || (await hasFollowed()) || (await hasRegistryRefreshes()) || (await hasRetentions())
  );
}

/** Work of one kind that goes on beside each other: most of it waits for the table, a cluster or AWS. */
const atOnce = 8;

async function reconcile(requestsEndedBefore?: number): Promise<number> {
  const kinds = await openWork(requestsEndedBefore);
  for (const work of kinds) await mapBounded(work, atOnce, ({ what, run }) => attempt(what, run));
  return kinds.flat().length;
}

async function attempt(what: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    log.error("reconciliation failed", { what, internal: String(error) });
  }
}

interface Work {
  what: string;
  run: () => Promise<unknown>;
}

/** A kind of work that a crash may leave behind: how what is due of it is found, named and gone on with. */
function queue<Due>(
  due: () => Promise<readonly Due[]>,
  what: (one: Due) => string,
  run: (one: Due) => Promise<unknown>,
): () => Promise<Work[]> {
  return async () => (await due()).map((one) => ({ what: what(one), run: () => run(one) }));
}

/** One query of the index of due work a kind: see docs/decisions/0069. */
function openWork(requestsEndedBefore?: number): Promise<Work[][]> {
  return Promise.all(queues(requestsEndedBefore, manyExecutions()).map((open) => open()));
}

/** In the order in which it is worked off: what takes longest comes last. */
function queues(requestsEndedBefore: number | undefined, ask: AskStatus): (() => Promise<Work[]>)[] {
  return [
    queue(
      unlessNone(countPending),
      () => "records of requests that were killed",
      () => closeForgotten(requestsEndedBefore),
    ),
    queue(unlessNone(countUnsealed), () => "sealing of the operation log", sealOperations),
    queue(unlessNone(hasExpiredOperations), () => "removal of old operation logs", retainOperations),
    queue(
      openChanges,
      (id) => `change ${id}`,
      (id) => reconcileChange(id, requestsEndedBefore, ask),
    ),
    queue(dueTaskRemovals, ({ ownerId, taskId }) => `removal of task ${ownerId}/${taskId}`, finishTaskRemoval),
    queue(dueServiceRemovals, ({ envKey, service }) => `removal ${envKey}/${service}`, finishServiceRemoval),
    queue(
      dueProjectDeletions,
      (key) => `deletion of project ${key}`,
      (key) => continueProjectDeletion(key, cancelTasksOf),
    ),
    queue(
      dueIdentityRemovals,
      ({ kind, id }) => `removal of ${kind} ${id}`,
      ({ kind, id }) => (kind === "user" ? finishUserRemoval(id) : finishGroupRemoval(id)),
    ),
    queue(
      dueRegistryRefreshes,
      (registryId) => `refresh of registry ${registryId}`,
      (registryId) => invokeLater("registry-refresh", { registryId }),
    ),
    queue(
      dueCollaborations,
      (key) => `copies of project ${key}`,
      (key) => tidyCopies(key, cancelTasksOf),
    ),
    queue(
      dueSleepSchedules,
      ({ projectKey, envKey }) => `sleep schedule of ${projectKey}/${envKey}`,
      (place) => invokeLater("sleep-schedule", place),
    ),
    queue(clustersWithJobWaits, (clusterId) => `jobs on cluster ${clusterId}`, wakeWatcher),
    () => openTaskWork(ask),
    queue(openRollouts, ({ namespace, kind, name }) => `rollout of ${kind} ${namespace}/${name}`, endRollout),
    queue(
      dueNotifications,
      ({ ref }) => `delivery ${ref.deliveryId} of task ${ref.taskRecordId}`,
      async ({ ref, dueAt }) => {
        if (isHeld(dueAt, requestsEndedBefore)) return;
        await invokeLater("notifier", { deliveries: [ref], sendersEndedBefore: requestsEndedBefore });
      },
    ),
    queue(
      findOwnersWithPendingApprovals,
      ({ key }) => `approval ${key}`,
      (owner) => invokeLater("approval-follower", owner),
    ),
    queue(
      dueCrons,
      ({ workflowKey, name }) => `cron ${name} of workflow ${workflowKey}`,
      ({ workflowKey, name }) => invokeLater("trigger-starter", { workflowKey, sync: name }),
    ),
    queue(
      dueHookDeliveries,
      ({ deliveryId, trigger }) => `delivery ${deliveryId} of trigger ${trigger}`,
      (ref) => invokeLater("trigger-starter", ref),
    ),
    queue(dueArtifacts, (id) => `artifact ${id}`, describeImage),
    queue(findPlansWithEffects, (planId) => `release plan ${planId}`, followPlan),
    queue(openVersions, (id) => `delivery version ${id}`, followVersion),
    queue(dueTemplateSyncs, (id) => `sync of template ${id}`, continueSync),
  ];
}

function unlessNone(look: () => Promise<number | boolean>): () => Promise<readonly unknown[]> {
  return async () => ((await look()) ? [undefined] : []);
}

async function dueNotifications(): ReturnType<typeof dueDeliveries> {
  const due = await dueDeliveries();
  embedFigure("openWork", { kind: "notifications" }, due.length);
  return due;
}

/** Slots are given out before single tasks are looked at; those that wait are looked at together. */
async function openTaskWork(ask: AskStatus): Promise<Work[]> {
  const tasks = await readTaskRecords(await openTasks());
  const waiting = tasks.filter(({ status }) => status === "waiting");
  embedFigure("openTasks", { status: "open" }, tasks.length);
  embedFigure("openTasks", { status: "waiting" }, waiting.length);
  const begun = tasks.filter(({ status }) => status !== "waiting");
  const goOn = ({ owner, taskId }: { owner: { id: string }; taskId: number }) =>
    reconcileTask({ ownerId: owner.id, taskId }, ask);
  const dispatch = async () => {
    for (const dropped of await resumeQueues(waiting)) await goOn(dropped);
  };
  return [
    ...(tasks.length === 0 ? [] : [{ what: "dispatch of tasks", run: dispatch }]),
    ...begun.map((task) => ({ what: `task ${task.owner.id}/${task.taskId}`, run: () => goOn(task) })),
  ];
}

/**
 * Stops the reconciler when nothing is open, so that an idle installation costs nothing. What is open is read from an
 * index, which may be late, so it must have been quiet at the last run as well, with no call since then.
 * @param calls as they were before the run looked
 * @returns whether the schedule is off now
 */
async function restReconciler(calls: ReconcilerCalls): Promise<boolean> {
  if (calls.quietAt !== calls.value) {
    await recordQuiet(calls.value);
    return false;
  }
  await switchReconcilerSchedule("DISABLED");
  // A caller at this moment may have found the schedule on.
  if ((await readReconcilerCalls()).value === calls.value) return true;
  await switchReconcilerSchedule("ENABLED");
  return false;
}
