import { EnvironmentProblem } from "../../../environments/failures.ts";
import { besideName, findRollout, moveRollout, type Rollout } from "../../../environments/store/rollouts.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { findObject } from "../../../kube/client/findObject.ts";
import { refOf } from "../../../kube/client/objectRef.ts";
import { workloadReady } from "../../../kube/workloadReady.ts";
import type { JobEnd } from "../../records/task.ts";
import { awaitWorkloads, readinessOf } from "../readiness.ts";
import type { JobRun, JobRunner, NotYet } from "../runner.ts";
import { asEnd, waitEnd } from "../waitEnd.ts";
import { deploymentRef, findPlace, type RolloutPlace, readTarget } from "./findTarget.ts";
import { giveBack, pointService, setImage } from "./giveBack.ts";
import { ownerOfRun, rolloutRunOf } from "./rolloutRun.ts";

const lookSeconds = 5;

/**
 * Gives the traffic to the new pods, rolls the workload meanwhile, and gives the traffic back to it (decisions 12.2); a
 * canary has its share until the workload is ready. When that does not become ready, or the task is cancelled, everything is
 * as it was before the deployment.
 */
export const rolloutReleaseRunner: JobRunner = {
  begin: async (run) => {
    const found = await findPlace(run);
    const rollout = await requireOwn(run, found);
    try {
      return await release(run, found, rollout);
    } catch (error) {
      await giveBack(found.place, run.task.creator);
      throw error;
    }
  },
  finish: async (run, why) => {
    const end = await waitEnd(run, why, async () => (await findPlace(run)).environment);
    return end.ending === "passed" ? keep(run, end) : takeBack(run, end);
  },
};

async function release(run: JobRun, found: RolloutPlace, rollout: Rollout) {
  const { environment, place, client } = found;
  if (rollout.phase === "deployed") {
    const { live } = await readTarget(found);
    requireUnchanged(live, rollout);
    const name = besideName(place.name, rollout);
    const beside = await findObject(client, deploymentRef({ ...place, name }));
    const state = beside === undefined ? "does not exist" : workloadReady(beside).reason;
    if (state !== "") throw new EnvironmentProblem(`Deployment "${name}" cannot take the traffic: ${state}`);
    if (!(await moveRollout(rollout, ["deployed"], "shifted")))
      throw new EnvironmentProblem("the rollout was taken back at this moment; run the workflow again");
  }
  await pointService(client, rollout, rollout.shiftedSelector);
  for (const { container, after } of rollout.images)
    await setImage(client, rollout, { container, image: after }, run.task.creator);
  const ready = await readinessOf(run);
  if (ready !== undefined) return asEnd(ready);
  const live = await client.get(deploymentRef(place));
  const { uid, generation } = live.metadata;
  await awaitWorkloads(run, environment, [
    { service: rollout.service, ...refOf(live), uid, generation, ...(rollout.service === "" && { foreign: true }) },
  ]);
  return { waits: true as const, set: { result: { namespace: place.namespace } } };
}

/** @throws EnvironmentProblem unless the deployment of this task stands and was not taken back */
async function requireOwn(run: JobRun, { place }: RolloutPlace): Promise<Rollout> {
  const { deployJob } = rolloutRunOf(run);
  const what = `${place.kind} "${place.name}"`;
  const rollout = await findRollout(place);
  if (rollout === undefined || rollout.owner !== ownerOfRun(run) || rollout.job !== deployJob)
    throw new EnvironmentProblem(
      `job ${deployJob} of this task has deployed nothing beside ${what} that could be released; run the workflow again`,
    );
  if (rollout.phase !== "deployed" && rollout.phase !== "shifted")
    throw new EnvironmentProblem(
      `${what} was ${rollout.phase === "returning" ? "taken back" : "released"} before; run the workflow again`,
    );
  return rollout;
}

/** Somebody else's change would be overwritten, or is not in what was tried. */
function requireUnchanged({ kind, metadata }: LiveObject, { uid, generation }: Rollout): void {
  if (metadata.uid === uid && metadata.generation === generation) return;
  throw new EnvironmentProblem(
    `${kind} "${metadata.name}" was changed since it was deployed beside (generation ${generation}, now ${metadata.generation}); it keeps the traffic, run the workflow again`,
  );
}

async function keep(run: JobRun, end: JobEnd): Promise<JobEnd | NotYet> {
  const { place } = await findPlace(run);
  const rollout = await findRollout(place);
  if (rollout?.owner === ownerOfRun(run)) await moveRollout(rollout, ["shifted"], "released");
  return (await giveBack(place, run.task.creator)) ? end : { notYet: true, seconds: lookSeconds };
}

async function takeBack(run: JobRun, end: JobEnd): Promise<JobEnd> {
  const { place } = await findPlace(run);
  const rollout = await findRollout(place);
  if (rollout?.owner !== ownerOfRun(run) || (await giveBack(place, run.task.creator))) return end;
  const more = "the new pods keep the traffic until the former ones are ready again";
  return { ...end, error: end.error === "" ? more : `${end.error}; ${more}` };
}
