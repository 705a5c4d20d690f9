import { readStoredText } from "../../../base/aws/objects/objectStore.ts";
import type { JobDeploy } from "../../../environments/store/jobDeploys.ts";
import { maskedManifest } from "../../../kube/live/maskedManifest.ts";
import { maskedValue } from "../../../kube/live/secretValues.ts";
import { type Deploying, finishDeploying, startDeploying } from "../deploying.ts";
import { imageOutputs } from "../imageOutputs.ts";
import { failed, type JobRun, type JobRunner } from "../runner.ts";
import { deployRefusal, deployRequest, readDeployRequest } from "./deployRequest.ts";
import type { DeployRun } from "./planner.ts";

/** A longer manifest is not shown: the record of a job stays small. */
const maxCharacters = 32_768;

/** What task detail shows of a deployment beside what was planned (contract W 4.4); no value of a Secret. */
async function shownDeploy(run: JobRun, deploy: JobDeploy): Promise<Record<string, unknown>> {
  const { env, service_and_images, variable_kvs, user_supplied_value } = run.spec;
  return {
    ...{ env, service_and_images, variable_kvs, user_supplied_value },
    env_alias: deploy.envAlias,
    ...(deploy.plan.release && { service_type: "helm" }),
    origin_revision: deploy.originRevision,
    yaml_content: shownYaml(await readStoredText(deploy.plan.text), run.secrets),
  };
}

function shownYaml(text: string, secrets: readonly string[]): string {
  if (text.length > maxCharacters) return "";
  return secrets
    .filter((secret) => secret !== "")
    .reduce((left, secret) => left.replaceAll(secret, maskedValue), maskedManifest(text));
}

/** Deploys a service with new images and variables (contract W 5). */
export const runner: JobRunner = {
  begin: async (run) => {
    const problem = await deployRefusal(run.task.owner.projectKey, settingsOf(run));
    if (problem !== undefined) return failed(problem);
    const request = await readDeployRequest(run.task.owner.projectKey, settingsOf(run));
    return startDeploying(run, { ...deployingOf(run), request });
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
