import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { exists, mustLack } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { create, remove, update, type Write } from "../../base/store/writes.ts";
import type { ServicePlan } from "./changes.ts";
import type { AwaitedWorkload } from "./readinessWaits.ts";

/** What one try of a job brought into an environment, from the apply until the service is made what was deployed. */
export interface JobDeploy {
  environmentId: string;
  clusterId: string;
  namespace: string;
  envAlias: string;
  plan: ServicePlan;
  /** The service's revision before; 0 when it was not in the environment. */
  originRevision: number;
  /** Of the service's manifest after the apply: another one shows that something was applied since. */
  manifestVersion: number;
  awaited: AwaitedWorkload[];
  /** Why objects were refused; empty when none was. */
  error: string;
  /** Of a chart: set until Helm has brought it in, or said why not. */
  ahead?: ReleaseAhead;
  /** Of a chart: the revision in the cluster, in Helm's own count. */
  releaseRevision?: number;
  /** Of a chart: what Helm applied, where it applied anything. */
  releaseText?: StoredText;
  concluded?: true;
}

/** A release that Helm has still to bring in. */
export interface ReleaseAhead {
  projectKey: string;
  envKey: string;
  production: boolean;
  /** What it was planned for: of the environment the change, of the service the version of its record; 0: it was not there. */
  environmentChange: string;
  serviceVersion: number;
  /** Unix seconds: the end of the job's time. */
  deadline: number;
}

const keptSeconds = 7 * 24 * 3600;

/** Fails when the same try did it before. */
export function createDeploy(tryName: string, deploy: JobDeploy): Write {
  const ttl = nowSeconds() + keptSeconds;
  return create({ ...deploy, ...keys.jobDeploy(tryName), type: "job-deploy", ttl });
}

export function findDeploy(tryName: string): Promise<JobDeploy | undefined> {
  return table().get<JobDeploy>(keys.jobDeploy(tryName), { consistent: true });
}

/** Notes what Helm made of a deployment; fails when that is noted. */
export function settleDeploy(
  tryName: string,
  set: Pick<JobDeploy, "awaited" | "error"> &
    Partial<Pick<JobDeploy, "manifestVersion" | "releaseRevision" | "releaseText">>,
): Write {
  return update(keys.jobDeploy(tryName), { set, unset: ["ahead"] }, exists("ahead"));
}

/** Takes back a deployment that Helm has not started: the job plans it again. */
export function removeDeploy(tryName: string): Write {
  return remove(keys.jobDeploy(tryName), exists("ahead"));
}

/** Fails when it was concluded before. */
export function markConcluded(tryName: string): Write {
  return update(keys.jobDeploy(tryName), { set: { concluded: true } }, mustLack("concluded"));
}
