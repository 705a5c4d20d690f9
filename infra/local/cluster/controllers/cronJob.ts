import { Cron } from "croner";
import { timestamp } from "../model/object.ts";
import type { CronJob, Job } from "../model/workloads.ts";
import { type Cluster, type Controller, keyOf, ownedBy, ownerKey } from "./controller.ts";
import { endOf } from "./job.ts";

/** Starts a Job at each time of a CronJob's schedule and forgets the oldest finished ones. */
export function cronJobController(cluster: Cluster): Controller {
  return {
    name: "cronjob",
    watches: { "cronjobs.batch": (cron) => [keyOf(cron)], "jobs.batch": ownerKey("CronJob") },
    reconcile(namespace, name) {
      const cron = cluster.get<CronJob>("cronjobs.batch", namespace, name);
      if (!cron || cron.metadata.deletionTimestamp) return undefined;
      forget(cluster, cron);
      const again = cron.spec.suspend ? undefined : startDue(cluster, cron);
      report(cluster, namespace, name);
      return again;
    },
  };
}

/** Starts what is due and says in how many milliseconds the next time comes. */
function startDue(cluster: Cluster, cron: CronJob): number | undefined {
  const schedule = parse(cron);
  const from = new Date(cron.status.lastScheduleTime ?? cron.metadata.creationTimestamp);
  const due = latestDue(schedule, from);
  if (due) start(cluster, cron, due);
  const next = schedule.nextRun();
  return next ? next.getTime() - Date.now() + 1 : undefined;
}

function parse(cron: CronJob): Cron {
  const { schedule, timeZone } = cron.spec;
  return new Cron(schedule.replace(/^@midnight$/, "@daily"), { timezone: timeZone ?? "Etc/UTC", paused: true });
}

/** Of all times missed since the last start only the newest counts. */
function latestDue(schedule: Cron, from: Date): Date | undefined {
  let due: Date | undefined;
  for (let next = schedule.nextRun(from), i = 0; next && next.getTime() <= Date.now() && i < 100; i++) {
    due = next;
    next = schedule.nextRun(next);
  }
  return due;
}

function start(cluster: Cluster, cron: CronJob, due: Date): void {
  const late = (Date.now() - due.getTime()) / 1_000;
  const limit = cron.spec.startingDeadlineSeconds;
  const running = cluster.owned<Job>(cron, "jobs.batch").filter((job) => !endOf(job));
  const policy = cron.spec.concurrencyPolicy;
  if ((limit !== undefined && late > limit) || (policy === "Forbid" && running.length > 0)) return;
  if (policy === "Replace") for (const job of running) cluster.delete("jobs.batch", job);
  const namespace = cron.metadata.namespace ?? "";
  const name = `${cron.metadata.name}-${Math.floor(due.getTime() / 60_000)}`;
  const { labels, annotations } = cron.spec.jobTemplate.metadata ?? {};
  if (!cluster.get("jobs.batch", namespace, name)) {
    cluster.create("jobs.batch", namespace, {
      metadata: {
        name,
        ...(labels ? { labels } : {}),
        annotations: { ...annotations, "batch.kubernetes.io/cronjob-scheduled-timestamp": timestamp(due) },
        ownerReferences: [ownedBy(cron)],
      },
      spec: cron.spec.jobTemplate.spec,
    });
  }
  const live = cluster.get<CronJob>("cronjobs.batch", namespace, cron.metadata.name);
  if (live) cluster.writeStatus("cronjobs.batch", live, { ...live.status, lastScheduleTime: timestamp(due) });
}

function forget(cluster: Cluster, cron: CronJob): void {
  const jobs = cluster.owned<Job>(cron, "jobs.batch").filter((job) => !job.metadata.deletionTimestamp);
  for (const [type, limit] of [
    ["Complete", cron.spec.successfulJobsHistoryLimit ?? 3],
    ["Failed", cron.spec.failedJobsHistoryLimit ?? 1],
  ] as const) {
    const done = jobs.filter((job) => endOf(job)?.type === type);
    done.sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1));
    for (const job of done.slice(0, Math.max(0, done.length - limit))) cluster.delete("jobs.batch", job);
  }
}

function report(cluster: Cluster, namespace: string, name: string): void {
  const cron = cluster.get<CronJob>("cronjobs.batch", namespace, name);
  if (!cron) return;
  const jobs = cluster.owned<Job>(cron, "jobs.batch");
  const active = jobs
    .filter((job) => !endOf(job))
    .map((job) => ({
      apiVersion: job.apiVersion,
      kind: job.kind,
      namespace,
      name: job.metadata.name,
      uid: job.metadata.uid,
      resourceVersion: job.metadata.resourceVersion,
    }));
  const ends = jobs.flatMap((job) => (endOf(job)?.type === "Complete" ? [job.status.completionTime ?? ""] : []));
  const lastSuccessfulTime = [cron.status.lastSuccessfulTime ?? "", ...ends].sort().at(-1) || undefined;
  cluster.writeStatus("cronjobs.batch", cron, {
    ...cron.status,
    active: active.length > 0 ? active : undefined,
    lastSuccessfulTime,
  });
}
