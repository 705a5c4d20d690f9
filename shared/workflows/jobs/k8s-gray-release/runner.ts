import { EnvironmentProblem } from "../../../environments/failures.ts";
import { findRollout, type Rollout, stepRollout } from "../../../environments/store/rollouts.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { awaitWorkloads, readinessOf } from "../readiness.ts";
import { applyBeside } from "../rollout/applyBeside.ts";
import { awaitedOf } from "../rollout/awaitedOf.ts";
import { besideDeployment } from "../rollout/besideObjects.ts";
import { ownRollout, sayBeside } from "../rollout/deployRunner.ts";
import { deploymentRef, findPlace, type RolloutPlace, readTarget } from "../rollout/findTarget.ts";
import { grayStep, stepShown } from "../rollout/grayStep.ts";
import { going, requireOwn, rolloutReleaseRunner } from "../rollout/releaseRunner.ts";
import { requireUnchanged } from "../rollout/requireUnchanged.ts";
import { say, withEvents } from "../rollout/rolloutEvents.ts";
import { grayRunOf, ownerOfRun } from "../rollout/rolloutRun.ts";
import { setReplicas } from "../rollout/setReplicas.ts";
import { endStep, finishStep } from "../rollout/stepEnd.ts";
import { endingAsLooked } from "../rollout/takeBack.ts";
import type { JobRun, JobRunner } from "../runner.ts";
import { asEnd } from "../waitEnd.ts";

/**
 * A step to so many per cent: new pods are started beside the former ones, share their traffic, and once they are ready
 * as many former ones go.
 */
const stepRunner = withEvents(
  endingAsLooked({
    begin: async (run) => {
      const found = await findPlace(run);
      const underWay = (await findRollout(found.place))?.owner === ownerOfRun(run);
      const target = await readTarget(found, { underWay });
      const { job, deployJob } = grayRunOf(run);
      const isFirst = job === deployJob;
      const rollout = isFirst ? await ownRollout(run, found, target) : await takeStep(run, found, target.live);
      requireUnchanged(target.live, rollout);
      const deployment = await applyBeside(found.client, besideDeployment(target.live, rollout));
      sayBeside(run, deployment);
      const ready = await readinessOf(run);
      if (ready === "ready") return going(await endStep(run, found, keepFormer));
      const result = stepShown(rollout);
      if (ready !== undefined) return asEnd(ready, result);
      return awaitWorkloads(run, found.environment, [awaitedOf(deployment, "")], result);
    },
    finish: (run, why) => finishStep(run, why, keepFormer),
  }),
);

/** The last step makes the workload itself new (see `rolloutReleaseRunner`). */
export const runner: JobRunner = {
  begin: (run) => runnerOfStep(run).begin(run),
  finish: (run, why) => runnerOfStep(run).finish(run, why),
};

function runnerOfStep(run: JobRun): JobRunner {
  return grayRunOf(run).scale === 100 ? rolloutReleaseRunner : stepRunner;
}

/** The release at this step, by this try or by one before. */
async function takeStep(run: JobRun, found: RolloutPlace, live: LiveObject): Promise<Rollout> {
  const rollout = await requireOwn(run, found);
  const { job, scale } = grayRunOf(run);
  if (rollout.gray === undefined || rollout.gray.job === job) return rollout;
  requireUnchanged(live, rollout);
  const step = grayStep({ job, scale }, live, rollout.gray.total);
  if (!(await stepRollout(rollout, step)))
    throw new EnvironmentProblem("the rollout was taken back at this moment; run the workflow again");
  return { ...rollout, ...step };
}

/** The new pods are ready, and take the place of as many. */
async function keepFormer(run: JobRun, found: RolloutPlace): Promise<Record<string, unknown>> {
  const rollout = await requireOwn(run, found);
  requireUnchanged(await found.client.get(deploymentRef(found.place)), rollout);
  const { replicas = 0, gray } = rollout;
  await setReplicas(found.client, found.place, gray?.kept ?? 0);
  say(run, `${replicas} of ${gray?.total ?? 0} pods are new, and ${gray?.kept ?? 0} former ones are left`);
  return stepShown(rollout);
}
