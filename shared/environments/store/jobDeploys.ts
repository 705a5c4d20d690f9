import { nowSeconds } from "../../store/ids.ts";
import { keys } from "../../store/keys.ts";
import { table } from "../../store/theTable.ts";
import { create, mustLack, update, type Write } from "../../store/writes.ts";
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
  /** Of the service's manifest after the apply: another one tells that somebody applied something since. */
  manifestVersion: number;
  awaited: AwaitedWorkload[];
  /** Why objects were refused; empty when none was. */
  error: string;
  concluded?: true;
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

/** Fails when it was concluded before. */
export function markConcluded(tryName: string): Write {
  return update(keys.jobDeploy(tryName), { set: { concluded: true } }, mustLack("concluded"));
}
