import type { JobDeploy } from "../../../environments/store/jobDeploys.ts";
import { beginDeploying, type Deploying, finishDeploying } from "../deploying.ts";
import { imageOutputs } from "../imageOutputs.ts";
import { failed, type JobRun, type JobRunner } from "../runner.ts";
import { deployRefusal, deployRequest, readDeployRequest } from "./deployRequest.ts";
import type { DeployRun } from "./planner.ts";
import { shownDeploy } from "./shownDeploy.ts";

/** Deploys a service with new images and variables (contract W 5). */
export const deployRunner: JobRunner = {
  begin: async (run) => {
    const problem = await deployRefusal(run.task.owner.projectKey, settingsOf(run));
    if (problem !== undefined) return failed(problem);
    const request = await readDeployRequest(run.task.owner.projectKey, settingsOf(run));
    return beginDeploying(run, { ...deployingOf(run), request });
  },
  finish: (run, why) => finishDeploying(run, why, deployingOf(run)),
};

function settingsOf({ run }: JobRun): DeployRun {
  return run as unknown as DeployRun;
}

function deployingOf(run: JobRun): Deploying {
  const settings = settingsOf(run);
  return {
    request: deployRequest(run.task.owner.projectKey, settings),
    skipsCheck: (deploy) => skipsCheck(settings, deploy),
    shown: (deploy) => shownDeploy(run, deploy),
    outputs: ({ plan }) => imageOutputs(plan.containers),
  };
}

function skipsCheck({ skipsCheck: skips, skipsChartCheck }: DeployRun, { plan }: JobDeploy): boolean {
  return skips || (skipsChartCheck === true && plan.release !== undefined);
}
