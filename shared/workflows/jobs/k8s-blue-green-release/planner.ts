import { kind as blueGreenDeploy } from "../k8s-blue-green-deploy/kind.ts";
import { planner as blueGreenDeployPlanner } from "../k8s-blue-green-deploy/planner.ts";
import { readSpec } from "../readSpec.ts";
import { analysesOf } from "../rollout/analysis/analyses.ts";
import { releasePlanner } from "../rollout/releasePlanner.ts";
import { rolloutMinutes } from "../rollout/rolloutRun.ts";
import { kind as blueGreenRelease } from "./kind.ts";

export const planner = releasePlanner(blueGreenDeploy.type, blueGreenDeployPlanner, (job) => {
  const { from_job, analysis } = readSpec(blueGreenRelease, job);
  return { from: from_job, minutes: rolloutMinutes, analysis: analysesOf(analysis), unshown: [] };
});
