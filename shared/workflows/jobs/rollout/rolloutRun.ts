import { rolloutOwner } from "../../../environments/store/rollouts.ts";
import type { JobRun } from "../runner.ts";

/** Minutes for new pods to become ready, where a job states none. */
export const rolloutMinutes = 10;

interface Images {
  /** The job that deploys. */
  deployJob: string;
  images: { container: string; image: string }[];
}

/** The Deployment of a service of an environment. */
export interface BlueGreenRun extends Images {
  mode?: undefined;
  env: string;
  production: boolean;
  service: string;
}

/** The Deployment behind a Service of a namespace. */
export interface CanaryRun extends Images {
  mode: "canary";
  /** Empty: the cluster of the project's environment in that namespace. */
  clusterId: string;
  namespace: string;
  kubeService: string;
  /** 1 to 100. */
  percentage: number;
}

/** What runners of rollouts need. */
export type RolloutRun = BlueGreenRun | CanaryRun;

export function rolloutRunOf({ run }: JobRun): RolloutRun {
  return run as unknown as RolloutRun;
}

/** The task, as the record of a rollout names it. */
export function ownerOfRun({ task }: JobRun): string {
  return rolloutOwner(task.owner.id, task.taskId);
}
