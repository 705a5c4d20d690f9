import type { Change } from "../store/changes.ts";
import { findWholeEnvironment } from "../store/environments.ts";
import type { AwaitedWorkload } from "../store/readinessWaits.ts";

/** Kinds whose readiness a creation waits for (contract P 15, second table). A CronJob is always ready. */
export const awaitedKinds = new Set(["Deployment", "StatefulSet", "DaemonSet", "Job", "CloneSet"]);

/** The workloads that were applied for the given services; one whose apply failed is waited for in vain. */
export async function workloadsToWaitFor(change: Change, services: readonly string[]): Promise<AwaitedWorkload[]> {
  const whole = await findWholeEnvironment(change.projectKey, change.envKey, { consistent: true });
  const named = (whole?.services ?? []).filter(({ name, error }) => services.includes(name) && error === "");
  return named.flatMap(({ name, workloads }) =>
    workloads.filter(({ kind }) => awaitedKinds.has(kind)).map((workload) => ({ service: name, ...workload })),
  );
}
