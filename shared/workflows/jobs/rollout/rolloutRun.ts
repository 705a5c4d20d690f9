import type { EnvironmentName } from "../../../environments/requireEnvironment.ts";
import { rolloutOwner } from "../../../environments/store/rollouts.ts";
import type { JobRun } from "../runner.ts";

/** What runners of rollouts need. */
export interface RolloutRun {
  env: string;
  production: boolean;
  service: string;
  /** The job that deploys. */
  deployJob: string;
  images: { container: string; image: string }[];
}

export function rolloutRunOf({ run }: JobRun): RolloutRun {
  return run as unknown as RolloutRun;
}

export function environmentOf(run: JobRun): EnvironmentName {
  const { env, production } = rolloutRunOf(run);
  return { projectKey: run.task.owner.projectKey, envKey: env, production };
}

/** The task, as the record of a rollout names it. */
export function ownerOfRun({ task }: JobRun): string {
  return rolloutOwner(task.owner.id, task.taskId);
}
