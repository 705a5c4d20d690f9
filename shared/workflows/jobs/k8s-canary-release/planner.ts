import { canaryDeploy } from "../../definition/kinds/canaryDeploy.ts";
import { canaryRelease } from "../../definition/kinds/canaryRelease.ts";
import { canaryDeployPlanner } from "../k8s-canary-deploy/planner.ts";
import { readSpec } from "../readSpec.ts";
import { analysesOf } from "../rollout/analysis/analyses.ts";
import { releasePlanner } from "../rollout/releasePlanner.ts";
import { rolloutMinutes } from "../rollout/rolloutRun.ts";

export const canaryReleasePlanner = releasePlanner(canaryDeploy.type, canaryDeployPlanner, (job) => {
  const { from_job, release_timeout, analysis } = readSpec(canaryRelease, job);
  return {
    ...{ from: from_job, minutes: release_timeout || rolloutMinutes, analysis: analysesOf(analysis) },
    unshown: ["canary_replica"],
  };
});
