import { kind as canaryDeploy } from "../k8s-canary-deploy/kind.ts";
import { planner as canaryDeployPlanner } from "../k8s-canary-deploy/planner.ts";
import { readSpec } from "../readSpec.ts";
import { analysesOf } from "../rollout/analysis/analyses.ts";
import { releasePlanner } from "../rollout/releasePlanner.ts";
import { rolloutMinutes } from "../rollout/rolloutRun.ts";
import { kind as canaryRelease } from "./kind.ts";

export const planner = releasePlanner(canaryDeploy.type, canaryDeployPlanner, (job) => {
  const { from_job, release_timeout, analysis } = readSpec(canaryRelease, job);
  return {
    ...{ from: from_job, minutes: release_timeout || rolloutMinutes, analysis: analysesOf(analysis) },
    unshown: ["canary_replica"],
  };
});
