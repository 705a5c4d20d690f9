import { ApiError } from "../../../base/errors/apiError.ts";
import { EnvironmentProblem, reasonOf } from "../../../environments/failures.ts";
import {
  besideName,
  findRollout,
  moveRollout,
  type Rollout,
  type RolloutPhase,
  sharesTraffic,
} from "../../../environments/store/rollouts.ts";
import { findObject } from "../../../kube/client/findObject.ts";
import { workloadReady } from "../../../kube/live/workloadReady.ts";
import type { JobEnd } from "../../records/task.ts";
import { awaitWorkloads, readinessOf } from "../readiness.ts";
import { type BeginAgain, failed, type JobRun, type NotYet, passed, type Waiting } from "../runner.ts";
import { asEnd, waitEnd } from "../waitEnd.ts";
import { type Analysed, analyse } from "./analysis/analyse.ts";
import { awaitedOf } from "./awaitedOf.ts";
import { deploymentRef, findPlace, type RolloutPlace, readTarget } from "./findTarget.ts";
import { giveBack, pointService, setImage } from "./giveBack.ts";
import { wholly } from "./grayStep.ts";
import { istioShown } from "./istioStep.ts";
import { requireUnchanged } from "./requireUnchanged.ts";
import { say, withEvents } from "./rolloutEvents.ts";
import { ownerOfRun, rolloutRunOf } from "./rolloutRun.ts";
import { setReplicas } from "./setReplicas.ts";
import { endingAsLooked, takeBack } from "./takeBack.ts";

const lookSeconds = 5;

/**
 * Gives the traffic to the new pods, rolls the workload meanwhile, and gives the traffic back to it (decisions 12.2);
 * pods that share the traffic do so until the workload is ready. When that does not become ready, or the task is cancelled,
 * everything is as it was before the deployment.
 */
export const rolloutReleaseRunner = withEvents(
  endingAsLooked({
    begin: async (run) => {
      const found = await findPlace(run);
      const rollout = await requireOwn(run, found);
      // The outcome of an earlier try, which died before reporting it.
      if (rollout.released === true) return going(await settle(run, found, passed()));
      // A try after the last look has the looks of the try before.
      let looked = run.job.result;
      try {
        const analysed = await tried(run, found, rollout);
        if (analysed?.outcome === "failed")
          return takeBack(run, rollout, failed(analysed.error, { result: analysed.result }));
        if (analysed?.outcome === "waits") return { waits: true, goesOn: true, set: { result: analysed.result } };
        looked = analysed?.result ?? looked;
        await shift(run, found, rollout, analysed === undefined ? "deployed" : "tried");
      } catch (error) {
        // After a failure of the platform the job is started again, and finds everything as it is.
        if (error instanceof ApiError || reasonOf(error) !== undefined) await giveBack(found.place, run.task.creator);
        throw error;
      }
      const ready = await readinessOf(run);
      if (ready !== undefined) return going(await settle(run, found, asEnd(ready)));
      const live = await found.client.get(deploymentRef(found.place));
      const result = { ...looked, namespace: found.place.namespace };
      return awaitWorkloads(run, found.environment, [awaitedOf(live, rollout.service)], result);
    },
    finish: async (run, why) => {
      const found = await findPlace(run);
      const standing = await findRollout(found.place);
      const own = standing?.owner === ownerOfRun(run) ? standing : undefined;
      if (own?.phase === "tried" && why === "settled") return lookOn(run, found, own);
      const isReleased = own?.released === true;
      return settle(run, found, isReleased ? passed() : await waitEnd(run, why, async () => found.environment));
    },
  }),
);

/** In `begin`: what cannot be ended yet is left to `finish`. */
export function going(done: JobEnd | NotYet): JobEnd | Waiting {
  return "notYet" in done ? { waits: true, goesOn: true } : done;
}

/** Where something is to be looked at, the new pods get the traffic for that, and the workload stays as it is. */
async function tried(run: JobRun, found: RolloutPlace, rollout: Rollout): Promise<Analysed | undefined> {
  if ((rolloutRunOf(run).analysis ?? []).length === 0 || rollout.phase === "shifted") return undefined;
  if (rollout.phase === "deployed") await moveOn(found, rollout, "tried");
  await pointService(found.client, rollout, rollout.shiftedSelector);
  const traffic = sharesTraffic(rollout) ? "keep their share of the traffic" : "have the traffic";
  say(run, `the new pods ${traffic} and are looked at`);
  return analyse(run, found.client, rollout);
}

/** The next look, in `finish`. */
async function lookOn(run: JobRun, found: RolloutPlace, rollout: Rollout): Promise<JobEnd | NotYet | BeginAgain> {
  const analysed = await analyse(run, found.client, rollout);
  if (analysed.outcome === "waits") return { notYet: true, seconds: analysed.seconds };
  return analysed.outcome === "passed"
    ? { beginAgain: true }
    : takeBack(run, rollout, failed(analysed.error, { result: analysed.result }));
}

/** Gives the traffic to the new pods, and sets the workload's images. Each step may be repeated. */
async function shift(run: JobRun, found: RolloutPlace, rollout: Rollout, from: RolloutPhase): Promise<void> {
  const { place, client } = found;
  if (rollout.phase !== "shifted") await moveOn(found, { ...rollout, phase: from }, "shifted");
  await pointService(client, rollout, rollout.shiftedSelector);
  if (!sharesTraffic(rollout)) say(run, `Service "${rollout.kubeService}" leads to the new pods`);
  for (const { container, after } of rollout.images)
    await setImage(client, rollout, { container, image: after }, run.task.creator);
  if (rollout.gray !== undefined) await setReplicas(client, place, rollout.gray.total);
  say(run, `${place.kind} "${place.name}" becomes new`);
}

/** @throws EnvironmentProblem when the workload or what is beside it is not as the rollout left it */
async function moveOn(found: RolloutPlace, rollout: Rollout, phase: RolloutPhase): Promise<void> {
  const { place, client } = found;
  const { gray, istio } = rollout;
  // While it is looked at, the Service may lead to the new pods alone.
  const { live } =
    rollout.phase === "tried"
      ? { live: await client.get(deploymentRef(place)) }
      : await readTarget(found, (gray ?? istio) && { underWay: gray !== undefined });
  requireUnchanged(live, rollout);
  const name = besideName(place.name, rollout);
  const beside = await findObject(client, deploymentRef({ ...place, name }));
  const state = beside === undefined ? "does not exist" : workloadReady(beside).reason;
  if (state !== "") throw new EnvironmentProblem(`Deployment "${name}" cannot take the traffic: ${state}`);
  if (!(await moveRollout(rollout, [rollout.phase], phase)))
    throw new EnvironmentProblem("the rollout was taken back at this moment; run the workflow again");
}

/** @throws EnvironmentProblem unless the deployment of this task exists and was not taken back */
export async function requireOwn(run: JobRun, { place }: RolloutPlace): Promise<Rollout> {
  const { deployJob } = rolloutRunOf(run);
  const what = `${place.kind} "${place.name}"`;
  const rollout = await findRollout(place);
  if (rollout === undefined || rollout.owner !== ownerOfRun(run) || rollout.job !== deployJob)
    throw new EnvironmentProblem(
      `job ${deployJob} of this task has deployed nothing beside ${what} that could be released; run the workflow again`,
    );
  if (!["deployed", "tried", "shifted"].includes(rollout.phase) && rollout.released !== true)
    throw new EnvironmentProblem(`${what} was taken back before; run the workflow again`);
  return rollout;
}

/** Makes an end of the rollout as the job ended: the workload is kept as it is, or everything goes back. */
async function settle(run: JobRun, { place }: RolloutPlace, end: JobEnd): Promise<JobEnd | NotYet> {
  const rollout = await findRollout(place);
  const own = rollout?.owner === ownerOfRun(run) ? rollout : undefined;
  if (end.ending !== "passed") return own === undefined ? end : takeBack(run, own, end);
  if (own === undefined || !(await isKept(own)))
    return failed(`${place.kind} "${place.name}" was taken back meanwhile; run the workflow again`);
  const kept = {
    ...end,
    result: { namespace: place.namespace, ...(own.gray && wholly(own.gray)), ...(own.istio && istioShown(run, own)) },
  };
  if (!(await giveBack(place, run.task.creator))) return { notYet: true, seconds: lookSeconds };
  say(run, `${place.kind} "${place.name}" is new, has the traffic, and nothing stands beside it`);
  return kept;
}

/** Whether the workload stays as the release made it, by this call or by one before. */
async function isKept(rollout: Rollout): Promise<boolean> {
  if (rollout.released === true || (await moveRollout(rollout, ["shifted"], "released"))) return true;
  const now = await findRollout(rollout);
  return now?.owner === rollout.owner && now.released === true;
}
