import { blueGreenDeploy } from "../../definition/kinds/blueGreenDeploy.ts";
import { blueGreenRelease } from "../../definition/kinds/blueGreenRelease.ts";
import { blueGreenDeployPlanner } from "../k8s-blue-green-deploy/planner.ts";
import { readSpec } from "../readSpec.ts";
import { analysesOf } from "../rollout/analysis/analyses.ts";
import { releasePlanner } from "../rollout/releasePlanner.ts";
import { rolloutMinutes } from "../rollout/rolloutRun.ts";

export const blueGreenReleasePlanner = releasePlanner(blueGreenDeploy.type, blueGreenDeployPlanner, (job) => {
  const { from_job, analysis } = readSpec(blueGreenRelease, job);
  return { from: from_job, minutes: rolloutMinutes, analysis: analysesOf(analysis), unshown: [] };
});
