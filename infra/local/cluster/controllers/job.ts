import { timestamp } from "../model/object.ts";
import type { Condition, Job, Pod } from "../model/workloads.ts";
import { type Cluster, type Controller, keyOf, ownedBy, ownerKey } from "./controller.ts";
import { isFinished, isReady, podFrom, setCondition, some } from "./podsOf.ts";

const indexKey = "batch.kubernetes.io/job-completion-index";

/** Runs the pods of each Job until enough have succeeded or too many have failed. */
export function jobController(cluster: Cluster): Controller {
  return {
    name: "job",
    watches: { "jobs.batch": (job) => [keyOf(job)], pods: ownerKey("Job") },
    reconcile(namespace, name) {
      const job = cluster.get<Job>("jobs.batch", namespace, name);
      if (!job || job.metadata.deletionTimestamp) return undefined;
      if (endOf(job)) return expire(cluster, job);
      return work(cluster, job);
    },
  };
}

/** The condition that says a Job has ended. */
export function endOf(job: Job): Condition | undefined {
  return job.status.conditions?.find((c) => (c.type === "Complete" || c.type === "Failed") && c.status === "True");
}

function expire(cluster: Cluster, job: Job): number | undefined {
  const seconds = job.spec.ttlSecondsAfterFinished;
  const end = endOf(job)?.lastTransitionTime;
  if (seconds === undefined || !end) return undefined;
  const left = Date.parse(end) + seconds * 1_000 - Date.now();
  if (left > 0) return left + 1;
  cluster.delete("jobs.batch", job);
  return undefined;
}

interface Progress {
  pods: Pod[];
  active: Pod[];
  succeeded: number;
  failed: number;
}

function progressOf(cluster: Cluster, job: Job): Progress {
  const pods = cluster.owned<Pod>(job, "pods");
  const succeeded = pods.filter((pod) => pod.status.phase === "Succeeded");
  const indexed = job.spec.completionMode === "Indexed";
  return {
    pods,
    active: pods.filter((pod) => !isFinished(pod) && !pod.metadata.deletionTimestamp),
    succeeded: indexed ? new Set(succeeded.map(indexOf)).size : succeeded.length,
    failed: pods.filter((pod) => pod.status.phase === "Failed").length,
  };
}

function indexOf(pod: Pod): string {
  return pod.metadata.annotations?.[indexKey] ?? "";
}

function work(cluster: Cluster, job: Job): number | undefined {
  const progress = progressOf(cluster, job);
  const { spec } = job;
  if (spec.suspend) return suspend(cluster, job, progress);
  const started = job.status.startTime ?? timestamp();
  const deadline = spec.activeDeadlineSeconds;
  const left = deadline === undefined ? undefined : Date.parse(started) + deadline * 1_000 - Date.now();
  const wanted = spec.completions ?? Math.max(1, progress.succeeded);
  if (progress.succeeded >= wanted && (spec.completions !== undefined || progress.active.length === 0)) {
    return conclude(
      cluster,
      job,
      started,
      "Complete",
      "CompletionsReached",
      "Reached expected number of succeeded pods",
    );
  }
  if (left !== undefined && left <= 0) {
    return conclude(
      cluster,
      job,
      started,
      "Failed",
      "DeadlineExceeded",
      "Job was active longer than specified deadline",
    );
  }
  if (progress.failed > (spec.backoffLimit ?? 6) || restartedTooOften(job, progress)) {
    return conclude(
      cluster,
      job,
      started,
      "Failed",
      "BackoffLimitExceeded",
      "Job has reached the specified backoff limit",
    );
  }
  const wait = backoff(progress);
  if (wait <= 0) startPods(cluster, job, progress, wanted);
  report(cluster, job, { startTime: started, conditions: resumed(job) });
  const again = [wait > 0 ? wait : undefined, left].filter((value) => value !== undefined);
  return again.length > 0 ? Math.min(...again) + 1 : undefined;
}

/** Where containers are restarted in place, their restarts count against the limit. */
function restartedTooOften(job: Job, progress: Progress): boolean {
  if (job.spec.template.spec.restartPolicy !== "OnFailure") return false;
  const limit = job.spec.backoffLimit ?? 6;
  const restarts = progress.active
    .flatMap((pod) => [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])])
    .reduce((sum, status) => sum + status.restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Failed pods are tried again after 10 s, 20 s, 40 s… in a real cluster; here after a tenth of that. */
function backoff(progress: Progress): number {
  if (progress.failed === 0 || progress.active.length > 0) return 0;
  const ends = progress.pods
    .filter((pod) => pod.status.phase === "Failed")
    .flatMap((pod) => pod.status.containerStatuses ?? [])
    .map((status) => Date.parse(status.state.terminated?.finishedAt ?? ""));
  const last = Math.max(...ends.filter(Number.isFinite), 0);
  return last + Math.min(1_000 * 2 ** (progress.failed - 1), 36_000) - Date.now();
}

function startPods(cluster: Cluster, job: Job, progress: Progress, wanted: number): void {
  const { parallelism = 1, completions } = job.spec;
  const open = completions === undefined ? (progress.succeeded > 0 ? 0 : parallelism) : wanted - progress.succeeded;
  const missing = Math.min(parallelism, open) - progress.active.length;
  const taken = new Set(progress.pods.filter((pod) => pod.status.phase !== "Failed").map(indexOf));
  for (let i = 0; i < missing; i++) startPod(cluster, job, nextIndex(job, taken));
  for (const pod of progress.active.slice(0, Math.max(0, -missing))) cluster.delete("pods", pod);
}

function nextIndex(job: Job, taken: Set<string>): string | undefined {
  if (job.spec.completionMode !== "Indexed") return undefined;
  let index = 0;
  while (taken.has(String(index))) index++;
  taken.add(String(index));
  return String(index);
}

function startPod(cluster: Cluster, job: Job, index: string | undefined): void {
  const { template } = job.spec;
  const middle = index === undefined ? "" : `${index}-`;
  const { labels, annotations } = template.metadata ?? {};
  cluster.create(
    "pods",
    job.metadata.namespace ?? "",
    podFrom(template, job, {
      generateName: `${job.metadata.name}-${middle}`,
      labels: { ...labels, ...(index === undefined ? {} : { [indexKey]: index }) },
      ...(annotations || index !== undefined
        ? { annotations: { ...annotations, ...(index === undefined ? {} : { [indexKey]: index }) } }
        : {}),
      ownerReferences: [ownedBy(job)],
    }),
  );
}

function suspend(cluster: Cluster, job: Job, progress: Progress): undefined {
  for (const pod of progress.active) cluster.delete("pods", pod);
  const condition = { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" };
  const { startTime: _, ...status } = job.status;
  report(cluster, { ...job, status }, { conditions: probed(setCondition(job.status.conditions, condition)) });
}

function resumed(job: Job): Condition[] | undefined {
  const { conditions } = job.status;
  if (!conditions?.some((c) => c.type === "Suspended" && c.status === "True")) return conditions;
  return probed(
    setCondition(conditions, { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }),
  );
}

function probed(conditions: Condition[]): Condition[] {
  return conditions.map((c) => (c.lastProbeTime ? c : { ...c, lastProbeTime: c.lastTransitionTime ?? timestamp() }));
}

/** Writes the end of a Job; pods that still run are deleted first. */
function conclude(
  cluster: Cluster,
  job: Job,
  startTime: string,
  type: "Complete" | "Failed",
  reason: string,
  message: string,
): number | undefined {
  const { active } = progressOf(cluster, job);
  for (const pod of active) cluster.delete("pods", pod);
  const first = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const met = setCondition(resumed(job), { type: first, status: "True", reason, message });
  const conditions = probed(setCondition(met, { type, status: "True", reason, message }));
  report(cluster, job, { startTime, conditions, ...(type === "Complete" ? { completionTime: timestamp() } : {}) });
  cluster.event(
    job,
    type === "Complete" ? "Normal" : "Warning",
    type === "Complete" ? "Completed" : reason,
    message,
    "job-controller",
  );
  return job.spec.ttlSecondsAfterFinished === undefined ? undefined : job.spec.ttlSecondsAfterFinished * 1_000 + 1;
}

function report(
  cluster: Cluster,
  job: Job,
  change: Partial<{ [K in keyof Job["status"]]: Job["status"][K] | undefined }>,
): void {
  const live = cluster.get<Job>("jobs.batch", job.metadata.namespace ?? "", job.metadata.name);
  if (!live) return;
  const { active, succeeded, failed, pods } = progressOf(cluster, live);
  const over = change.conditions?.some((c) => c.status === "True" && (c.type === "Complete" || c.type === "Failed"));
  const terminating = pods.filter((pod) => pod.metadata.deletionTimestamp && !isFinished(pod)).length;
  const indexes = live.spec.completionMode === "Indexed" ? completedIndexes(pods) : undefined;
  const { startTime: _, ...rest } = live.status;
  cluster.writeStatus("jobs.batch", live, {
    ...rest,
    active: over ? undefined : some(active.length),
    ready: over ? 0 : active.filter(isReady).length,
    succeeded: some(succeeded),
    failed: some(failed),
    terminating,
    uncountedTerminatedPods: {},
    ...(indexes ? { completedIndexes: indexes } : {}),
    ...change,
  });
}

function completedIndexes(pods: Pod[]): string | undefined {
  const done = pods.filter((pod) => pod.status.phase === "Succeeded").map((pod) => Number(indexOf(pod)));
  return [...new Set(done)].sort((a, b) => a - b).join(",") || undefined;
}
