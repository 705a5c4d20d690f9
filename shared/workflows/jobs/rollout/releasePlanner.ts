import { ApiError } from "../../../base/errors/apiError.ts";
import { jobNamed } from "../jobNamed.ts";
import type { JobPlanner } from "../planner.ts";
import { type Analysis, analysisMinutes } from "./analysis/analyses.ts";
import { requireServers } from "./analysis/requireServers.ts";

interface Released {
  /** The job that deploys. */
  from: string;
  minutes: number;
  analysis: Analysis[];
  /** What the detail of the release does not show of the deployment's. */
  unshown: readonly string[];
}

/**
 * One job task for each that the other job deploys; what a start call says of a release is not looked at (contract W 3).
 */
export function releasePlanner(
  deploys: string,
  { expand }: Pick<JobPlanner, "expand">,
  read: (job: Parameters<JobPlanner["expand"]>[0]) => Released,
): JobPlanner {
  return {
    select: async ({ spec }) => ({ ...spec }),
    expand: async (job, scope) => {
      const { from, minutes, analysis, unshown } = read(job);
      const deploy = jobNamed(scope, from);
      if (deploy === undefined || deploy.type !== deploys || deploy.skipped === true)
        throw new ApiError(
          6160,
          `job ${job.name} releases what job ${from} deploys, which does not run in this task; choose both or neither`,
        );
      await requireServers(job.name, analysis);
      const deployed = await expand(deploy, scope);
      return deployed.map(({ spec, ...one }) => {
        const shown = Object.entries(spec).filter(([name]) => !unshown.includes(name));
        const timeoutMinutes = minutes + analysisMinutes(analysis);
        return { ...one, spec: Object.fromEntries(shown), run: { ...one.run, analysis }, timeoutMinutes };
      });
    },
  };
}
