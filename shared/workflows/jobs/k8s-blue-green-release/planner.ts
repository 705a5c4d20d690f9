import { ApiError } from "../../../errors/apiError.ts";
import { blueGreenDeploy } from "../../definition/kinds/blueGreenDeploy.ts";
import { blueGreenRelease } from "../../definition/kinds/blueGreenRelease.ts";
import { jobNamed } from "../jobNamed.ts";
import { blueGreenDeployPlanner, rolloutMinutes } from "../k8s-blue-green-deploy/planner.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";

/** One job task for each service that the other job deploys; what a start call says of it is not looked at (contract W 3). */
export const blueGreenReleasePlanner: JobPlanner = {
  select: async ({ spec }) => ({ ...spec }),
  expand: async (job, scope) => {
    const { from_job } = readSpec(blueGreenRelease, job);
    const deploy = jobNamed(scope, from_job);
    if (deploy === undefined || deploy.type !== blueGreenDeploy.type || deploy.skipped === true)
      throw new ApiError(
        6160,
        `job ${job.name} releases what job ${from_job} deploys, which does not run in this task; choose both or neither`,
      );
    const deployed = await blueGreenDeployPlanner.expand(deploy, scope);
    return deployed.map((one) => ({ ...one, timeoutMinutes: rolloutMinutes }));
  },
};
