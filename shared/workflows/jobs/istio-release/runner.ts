import { setTimeout as delay } from "node:timers/promises";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import { findRollout, type Rollout, stepRollout } from "../../../environments/store/rollouts.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { awaitWorkloads, readinessOf } from "../readiness.ts";
import { applyBeside } from "../rollout/applyBeside.ts";
import { awaitedOf } from "../rollout/awaitedOf.ts";
import { besideDeployment } from "../rollout/besideObjects.ts";
import { ownRollout, sayBeside } from "../rollout/deployRunner.ts";
import { deploymentBehind, deploymentRef, findPlace, type RolloutPlace, readTarget } from "../rollout/findTarget.ts";
import { shareOf } from "../rollout/grayStep.ts";
import { distinguishPods, leadCalls, requireLeadable } from "../rollout/istioRoutes.ts";
import { istioShown, markStable } from "../rollout/istioStep.ts";
import { going, requireOwn, rolloutReleaseRunner } from "../rollout/releaseRunner.ts";
import { requireUnchanged } from "../rollout/requireUnchanged.ts";
import { say, withEvents } from "../rollout/rolloutEvents.ts";
import { istioRunOf } from "../rollout/rolloutRun.ts";
import { endStep, finishStep } from "../rollout/stepEnd.ts";
import { endingAsLooked } from "../rollout/takeBack.ts";
import type { JobRun, JobRunner } from "../runner.ts";
import { asEnd } from "../waitEnd.ts";

/** Until proxies have heard of the subsets, before calls are led to them. */
const subsetMilliseconds = 2000;

/**
 * A step to so many per cent of the calls: new pods are started beside the workload, its own are marked so that Istio can
 * tell them apart, and once all are ready the routes lead so many calls to the new ones.
 */
const stepRunner = withEvents(
  endingAsLooked({
    begin: async (run) => {
      const found = await findPlace(run);
      const target = await readTarget(found, { underWay: false });
      const { job, deployJob } = istioRunOf(run);
      const isFirst = job === deployJob;
      if (isFirst && (await findRollout(found.place)) === undefined) await requireMesh(run, found, target.service);
      const rollout = isFirst ? await ownRollout(run, found, target) : await takeStep(run, found, target.live);
      requireUnchanged(target.live, rollout);
      const beside = await applyBeside(found.client, besideDeployment(target.live, rollout));
      sayBeside(run, beside);
      const workload = await markStable(found.client, target.live);
      const ready = await readinessOf(run);
      if (ready === "ready") return going(await endStep(run, found, shift));
      const result = istioShown(run, rollout);
      if (ready !== undefined) return asEnd(ready, result);
      const awaited = [awaitedOf(beside, ""), awaitedOf(workload, found.service)];
      return awaitWorkloads(run, found.environment, awaited, result);
    },
    finish: (run, why) => finishStep(run, why, shift),
  }),
);

/** The last step makes the workload itself new (see `rolloutReleaseRunner`); calls are led as before it until that is ready. */
export const runner: JobRunner = {
  begin: (run) => runnerOfStep(run).begin(run),
  finish: (run, why) => runnerOfStep(run).finish(run, why),
};

function runnerOfStep(run: JobRun): JobRunner {
  return istioRunOf(run).weight === 100 ? rolloutReleaseRunner : stepRunner;
}

/** Before anything is made: what a release cannot do is refused. */
async function requireMesh(run: JobRun, { client, place }: RolloutPlace, service: LiveObject): Promise<void> {
  await requireLeadable(client, { namespace: place.namespace, kubeService: service.metadata.name }, istioRunOf(run));
  await deploymentBehind(client, service);
}

/** The release at this step, by this try or by one before. */
async function takeStep(run: JobRun, found: RolloutPlace, live: LiveObject): Promise<Rollout> {
  const rollout = await requireOwn(run, found);
  const { job, percentage } = istioRunOf(run);
  const { istio } = rollout;
  if (istio === undefined || istio.job === job) return rollout;
  requireUnchanged(live, rollout);
  const step = { replicas: shareOf(istio.total, percentage), istio: { ...istio, job } };
  if (!(await stepRollout(rollout, step))) throw new EnvironmentProblem(takenBack);
  return { ...rollout, ...step };
}

const takenBack = "the rollout was taken back at this moment; run the workflow again";

/** All pods are ready: routes lead the step's share of the calls to the new ones. */
async function shift(run: JobRun, found: RolloutPlace): Promise<Record<string, unknown>> {
  const rollout = await requireOwn(run, found);
  const { client, place } = found;
  requireUnchanged(await client.get(deploymentRef(place)), rollout);
  const { istio } = rollout;
  if (istio === undefined) throw new EnvironmentProblem(takenBack);
  await distinguishPods(client, rollout);
  if (istio.weight === 0) await delay(subsetMilliseconds);
  const step = { istio: { ...istio, weight: istioRunOf(run).weight } };
  if (!(await stepRollout(rollout, step))) throw new EnvironmentProblem(takenBack);
  await leadCalls(client, { ...rollout, ...step });
  say(run, `${step.istio.weight} per cent of the calls go to the new pods`);
  return istioShown(run, rollout);
}
