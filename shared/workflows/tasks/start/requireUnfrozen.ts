import { requireNoFreeze } from "../../../projects/freezes/requireNoFreeze.ts";
import { freezePlaces } from "../../jobs/freezePlaces.ts";
import type { JobPlan, TaskPlan } from "../../records/task.ts";

export function jobsOf({ stages }: TaskPlan): JobPlan[] {
  return stages.flatMap(({ jobs }) => jobs);
}

/**
 * Refuses to start jobs that would change production while it is frozen, unless a user with that right gave a reason.
 * @throws ApiError 409 naming the freeze
 */
export async function requireUnfrozen(
  projectKey: string,
  jobs: readonly JobPlan[],
  overrideReason: string | undefined,
): Promise<void> {
  if (overrideReason) return;
  const places = await Promise.all(jobs.map((job) => freezePlaces(projectKey, job)));
  await requireNoFreeze(places.flat());
}
