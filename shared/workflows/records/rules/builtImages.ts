import type { WholeTask } from "../findTasks.ts";

/** An image that a task built. */
export interface BuiltImage {
  image: string;
  serviceName: string;
  /** Registry and repository, without the tag. */
  registryRepo: string;
}

/** Images of the build jobs that passed (contract I 10.6). */
export function builtImages({ plan, jobs }: Pick<WholeTask, "plan" | "jobs">): BuiltImage[] {
  const planned = new Map(plan.stages.flatMap((stage) => stage.jobs.map((job) => [job.name, job])));
  return jobs.flatMap(({ name, status, result: { image } }) => {
    const job = planned.get(name);
    if (job?.type !== "zadig-build" || status !== "passed" || typeof image !== "string" || image === "") return [];
    const registryRepo = image.replace(/(@[^/]+|:[^/:]+)$/, "");
    return [{ image, serviceName: job.jobInfo.service_name ?? "", registryRepo }];
  });
}
