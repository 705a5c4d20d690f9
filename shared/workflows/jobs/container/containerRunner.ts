import { setTimeout as delay } from "node:timers/promises";
import { enableReconciler } from "../../../base/reconciling/enableReconciler.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { wakeWatcher } from "../../../environments/waits/wakeWatcher.ts";
import { openCluster } from "../../../kube/clusters/openCluster.ts";
import { type JobWait, putJobWait, removeHeldJobWait } from "../../../kube/waits/jobWaits.ts";
import type { Used } from "../../../reports/costs/rules/used.ts";
import { collectContainerJob } from "../../pods/collectContainerJob.ts";
import { findPod } from "../../pods/liveJob.ts";
import { removeContainerJob } from "../../pods/removeContainerJob.ts";
import type { CollectedJob } from "../../pods/rules/collectedJob.ts";
import type { ContainerJobRef } from "../../pods/rules/containerJob.ts";
import { ContainerJobInvalid } from "../../pods/rules/containerJobInvalid.ts";
import { usedByPod } from "../../pods/rules/usedByPod.ts";
import { startContainerJob } from "../../pods/startContainerJob.ts";
import { storeContainerLog } from "../../pods/storeContainerLog.ts";
import { changeJob } from "../../records/records.ts";
import type { JobEnd, JobRecord } from "../../records/task.ts";
import { failed, type JobRun, type JobRunner, type NotYet, stopped } from "../runner.ts";
import { containerJobOf, type JobContent } from "./containerJobOf.ts";
import type { ContainerRun } from "./containerRun.ts";
import { logKeyOf, refOf } from "./jobPlaces.ts";

/** How a kind of job differs from the others that run in a container. */
export interface ContainerKind {
  content(run: JobRun): Promise<JobContent>;
  /** Percent of the test cases that must succeed. */
  passRate?(run: JobRun): number | undefined;
  /** What the kind makes of the end; without it outputs alone are kept. */
  conclude?(run: JobRun, end: JobEnd, collected: CollectedJob): JobEnd | Promise<JobEnd>;
  /**
   * Follows what a passed container started outside, before the job ends; called again as often as it asks for that,
   * until the job's time is up.
   * @param since when the container ended, Unix seconds
   */
  follow?(run: JobRun, end: JobEnd, since: number): Promise<JobEnd | NotYet>;
}

/** A token that was settled a moment before the cluster shows the end. */
const lookMilliseconds = 1000;
const maxLooks = 10;

/** Runs a job as one Kubernetes Job: started and awaited, then read, its log stored, and taken away (contract W 11). */
export function containerRunner(kind: ContainerKind): JobRunner {
  return {
    begin: async (run) => {
      const { refusal } = containerRunOf(run);
      if (refusal !== "") return failed(refusal);
      try {
        await startContainerJob(await containerJobOf(run, await kind.content(run)));
      } catch (error) {
        if (error instanceof ContainerJobInvalid) return failed(error.message);
        throw error;
      }
      await awaitContainerJob({ ...refOf(run), taskToken: run.taskToken, deadline: run.deadline });
      return { waits: true };
    },
    finish: async (run, why) => {
      const ref = refOf(run);
      const { ended, halfway, leaving } = run.job;
      if (leaving === true) await takeAway(run);
      if (ended !== undefined) return ended;
      if (halfway !== undefined)
        return why === "settled" ? followed(kind, run, halfway) : usedAs(halfway.end, stopped(why));
      if (why !== "settled") await removeContainerJobRecord(ref);
      const how = why === "settled" ? await readEnd(kind, run) : stopped(why);
      const [used] = await Promise.all([usedByContainerJob(ref), storeContainerLog(ref, logKeyOf(run.task, run.job))]);
      const end = { ...how, used };
      const part = { end, since: nowSeconds() };
      const goesOn = kind.follow !== undefined && end.ending === "passed";
      await keepEnd(run, goesOn ? { halfway: part } : { ended: end });
      await removeContainerJob(ref);
      return goesOn ? followed(kind, run, part) : end;
    },
  };
}

export function containerRunOf({ run }: Pick<JobRun, "run">): ContainerRun {
  return run as unknown as ContainerRun;
}

async function readEnd(kind: ContainerKind, run: JobRun): Promise<JobEnd> {
  const collected = await collect(kind, run);
  const { outcome, error, outputs } = collected;
  if (outcome === "timeout") return stopped("timeout");
  const end: JobEnd = {
    ending: outcome === "passed" ? "passed" : "failed",
    error,
    outputs: { ...outputs },
    result: {},
  };
  const concluded = (await kind.conclude?.(run, end, collected)) ?? end;
  const repos = withCommits(run.spec.repos, collected.commits);
  return repos === undefined ? concluded : { ...concluded, result: { ...concluded.result, repos } };
}

/** The repositories as they are shown, with the commits that were checked out (contract W 1.5). */
function withCommits(shown: unknown, commits: CollectedJob["commits"]): object[] | undefined {
  if (!Array.isArray(shown) || commits === undefined) return undefined;
  return shown.map((repository: object, at) => {
    const commit = commits.get(at);
    if (commit === undefined) return repository;
    const { id, time, message, author } = commit;
    const told = { commit_id: id, commit_message: message, author_name: author };
    return { ...repository, ...told, ...(time !== undefined && { commit_time: time }) };
  });
}

async function collect(kind: ContainerKind, run: JobRun): Promise<CollectedJob> {
  const passRate = kind.passRate?.(run);
  const options = {
    deadline: run.deadline,
    outputs: containerRunOf(run).outputs,
    ...(passRate !== undefined && { passRate }),
  };
  for (let looks = 1; ; looks++) {
    const collected = await collectContainerJob(refOf(run), options);
    if (collected.outcome !== "running") return collected;
    if (looks === maxLooks) return { ...collected, outcome: "failed", error: "the job was given up while it ran" };
    await delay(lookMilliseconds);
  }
}

/** Before what is left of the job is removed: a repeated `finish` finds the end in the record, and removes the rest. */
async function keepEnd({ task, job }: JobRun, set: Pick<JobRecord, "ended" | "halfway">): Promise<void> {
  await tryWrite(table().write(changeJob(task, job, { set: { ...set, leaving: true } })));
}

/** Removes what is left of a job whose end is kept: the call that kept it may have got no further. */
async function takeAway(run: JobRun): Promise<void> {
  await removeContainerJobRecord(refOf(run));
  await removeContainerJob(refOf(run));
  await tryWrite(table().write(changeJob(run.task, run.job, { unset: ["leaving"] })));
}

async function followed(
  { follow }: ContainerKind,
  run: JobRun,
  { end, since }: NonNullable<JobRecord["halfway"]>,
): Promise<JobEnd | NotYet> {
  const next = follow === undefined ? end : await follow(run, end, since);
  const isLate = "notYet" in next && run.deadline <= nowSeconds();
  const known = isLate ? stopped("timeout") : next;
  return "notYet" in known ? known : usedAs(end, known);
}

/** What the container used, whatever follows from its end outside. */
function usedAs({ used }: JobEnd, end: JobEnd): JobEnd {
  return used === undefined ? end : { ...end, used };
}

/** What the job's pod held of its cluster until now; nothing when it is gone. Before the job is removed. @throws ClusterError */
async function usedByContainerJob(ref: ContainerJobRef): Promise<Used> {
  const { client } = await openCluster(ref.clusterId);
  const pod = await findPod(client, ref);
  return pod === undefined ? {} : usedByPod(pod, nowSeconds());
}

/**
 * Leaves a task token to the watcher of the job's cluster. It settles it with `{}` when the Job ended, vanished or is
 * stuck (contract W 11.1), or at the deadline; `collectContainerJob` says which. The reconciler finds what a watcher
 * that died left behind.
 */
export async function awaitContainerJob(wait: JobWait): Promise<void> {
  await putJobWait(wait);
  await enableReconciler();
  await wakeWatcher(wait.clusterId);
}

/** Removes the wait for the job, before the job's removal on cancel, so that its token is left alone. */
export function removeContainerJobRecord(ref: ContainerJobRef): Promise<void> {
  return removeHeldJobWait(ref);
}
