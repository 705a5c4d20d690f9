import { type Deploying, finishDeploying, startDeploying } from "../deploying.ts";
import { imageOutputs } from "../imageOutputs.ts";
import { failed, type JobRun, type JobRunner } from "../runner.ts";
import { chartRefusal, chartRequest } from "./chartRequest.ts";
import type { ChartDeployRun } from "./planner.ts";

/** Installs or upgrades a release from a chart of a registered repository (contract W 5). */
export const runner: JobRunner = {
  begin: async (run) => {
    const problem = await chartRefusal(run.task.owner.projectKey, settingsOf(run));
    return problem === undefined ? startDeploying(run, deployingOf(run)) : failed(problem);
  },
  finish: (run, why) => finishDeploying(run, why, deployingOf(run)),
};

function settingsOf({ run }: JobRun): ChartDeployRun {
  return run as unknown as ChartDeployRun;
}

function deployingOf(run: JobRun): Deploying {
  const settings = settingsOf(run);
  return {
    request: chartRequest(run.task.owner.projectKey, settings),
    skipsCheck: () => settings.skipsCheck,
    outputs: ({ plan }) => ({ ...imageOutputs(plan.containers), VERSION: plan.release?.chart.version ?? "" }),
    shown: async ({ envAlias }) => ({ env: settings.env, env_alias: envAlias }),
  };
}
