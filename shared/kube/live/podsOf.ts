import type { LiveObject } from "../client/ClusterClient.ts";
import { isPod, type LabelSelector, type LiveCronJob, type LivePod, type LiveWorkload } from "./liveTypes.ts";

/** The pods of a workload, by owner; a Deployment's, which its replica sets own, by its selector. Sorted by name. */
export function podsOf(workload: LiveWorkload, objects: readonly LiveObject[]): LivePod[] {
  const belongs = (pod: LivePod) =>
    workload.kind === "Deployment"
      ? pod.metadata.ownerReferences?.some(({ kind }) => kind === "ReplicaSet") === true &&
        selects(workload.spec?.selector, pod.metadata.labels ?? {})
      : pod.metadata.ownerReferences?.some(({ uid }) => uid === workload.metadata.uid) === true;
  return sorted(objects.filter(isPod).filter(belongs));
}

/** The pods of a cron job's jobs, which are named after it and the minute they were made for. */
export function podsOfCronJob(cronJob: LiveCronJob, objects: readonly LiveObject[]): LivePod[] {
  const prefix = `${cronJob.metadata.name}-`;
  const made = (job: string) => job.startsWith(prefix) && /^\d+$/.test(job.slice(prefix.length));
  return sorted(
    objects
      .filter(isPod)
      .filter((pod) => pod.metadata.ownerReferences?.some(({ kind, name }) => kind === "Job" && made(name)) === true),
  );
}

/** Whether a label selector matches; one without any requirement matches nothing here. */
export function selects(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return false;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const label = labels[key];
      if (operator === "In") return label !== undefined && values.includes(label);
      if (operator === "NotIn") return label === undefined || !values.includes(label);
      if (operator === "Exists") return label !== undefined;
      return operator === "DoesNotExist" && label === undefined;
    })
  );
}

function sorted(pods: LivePod[]): LivePod[] {
  return pods.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
