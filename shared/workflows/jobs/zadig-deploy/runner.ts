import type { JobDeploy } from "../../../environments/store/jobDeploys.ts";
import type { ServiceContainer } from "../../../manifest/containers.ts";
import { moduleOutput } from "../../records/rules/outputPath.ts";
import { beginDeploying, type Deploying, finishDeploying } from "../deploying.ts";
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
    outputs: ({ plan }) => outputsOf(plan.containers),
  };
}

function skipsCheck({ skipsCheck: skips, skipsChartCheck }: DeployRun, { plan }: JobDeploy): boolean {
  return skips || (skipsChartCheck === true && plan.release !== undefined);
}

/** What later jobs can use of a deployed service: image and tag of each module (contract W 7). */
function outputsOf(containers: readonly ServiceContainer[]): Record<string, string> {
  return Object.fromEntries(
    containers.flatMap(({ name, image }) => [
      [moduleOutput(name, "IMAGE"), image],
      [moduleOutput(name, "imageTag"), imageTag(image)],
    ]),
  );
}

/** The tag of an image reference, empty when it names none: `reg.io:5000/ns/app:v1@sha256:…` gives `v1`. */
function imageTag(reference: string): string {
  const [untagged = ""] = reference.split("@");
  const [, tag = ""] = untagged.slice(untagged.lastIndexOf("/") + 1).split(":");
  return tag;
}
