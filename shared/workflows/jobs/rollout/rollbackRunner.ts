import { requireUpdatable } from "../../../environments/change/requireUpdatable.ts";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import { findRollout, type Rollout } from "../../../environments/store/rollouts.ts";
import { requireNoRollout } from "../../../environments/workloads/requireNoRollout.ts";
import { awaitWorkloads, readinessOf } from "../readiness.ts";
import { type JobRun, type NotYet, passed, stopped } from "../runner.ts";
import { waitEnd } from "../waitEnd.ts";
import { awaitedOf } from "./awaitedOf.ts";
import { deploymentRef, findPlace, isAutoscaled, type RolloutPlace } from "./findTarget.ts";
import { giveBack, setImage } from "./giveBack.ts";
import { imageOf } from "./images.ts";
import { type NotedMode, type Origin, originOf, removeOrigin } from "./origin.ts";
import { say, withEvents } from "./rolloutEvents.ts";
import { namedPlaceOf, ownerOfRun } from "./rolloutRun.ts";
import { setReplicas } from "./setReplicas.ts";

const lookSeconds = 5;

/**
 * Makes a workload what it was before its release in steps: a release of this task is taken back, one that ended is
 * undone by its note at the workload. What was deployed since is not undone.
 */
export const rollbackRunner = withEvents({
  begin: async (run) => {
    const found = await findPlace(run);
    const own = await ownRelease(run, found);
    if (own !== undefined) {
      const done = await takeBack(run, own);
      return "notYet" in done ? { waits: true, goesOn: true } : done;
    }
    const origin = await requireOrigin(run, found);
    await restore(run, found, origin);
    const result = shown(run, origin);
    const ready = await readinessOf(run);
    // What a try before this one has waited for; `finish` forgets the origin, without which this cannot begin again.
    if (ready !== undefined) return { waits: true, goesOn: true, set: { result } };
    const live = await found.client.get(deploymentRef(found.place));
    return awaitWorkloads(run, found.environment, [awaitedOf(live, found.service)], result);
  },
  finish: async (run, why) => {
    const found = await findPlace(run);
    const own = await ownRelease(run, found);
    if (own !== undefined) return why === "settled" ? takeBack(run, own) : stopped(why);
    return end(run, found, await waitEnd(run, why, async () => found.environment));
  },
});

/** The release that this task has started and not ended. */
async function ownRelease(run: JobRun, { place }: RolloutPlace): Promise<Rollout | undefined> {
  const standing = await findRollout(place);
  return standing?.owner === ownerOfRun(run) && standing.released !== true ? standing : undefined;
}

async function takeBack(run: JobRun, rollout: Rollout): Promise<ReturnType<typeof passed> | NotYet> {
  if (!(await giveBack(rollout, run.task.creator))) return { notYet: true, seconds: lookSeconds };
  say(run, "the release of this task is taken back");
  return passed({
    result: shown(run, { images: rollout.images, replicas: (rollout.gray ?? rollout.istio)?.total ?? 0 }),
  });
}

/** @throws EnvironmentProblem when nothing can be rolled back; ApiError 6076 while another task rolls the workload out */
async function requireOrigin(run: JobRun, { environment, place, client }: RolloutPlace): Promise<Origin> {
  await requireNoRollout(place, [place], ownerOfRun(run));
  requireUpdatable(environment);
  const live = await client.get(deploymentRef(place));
  const what = `${place.kind} "${place.name}"`;
  if (live.metadata.deletionTimestamp !== undefined) throw new EnvironmentProblem(`${what} is being deleted`);
  const { mode } = namedPlaceOf(run);
  const origin = originOf(live, mode);
  if (origin === undefined) throw new EnvironmentProblem(`${what} has no ${releases[mode]} that could be rolled back`);
  const other = origin.images.find(
    ({ container, before, after }) => ![before, after].includes(imageOf(live, container)),
  );
  if (other !== undefined)
    throw new EnvironmentProblem(
      `container "${other.container}" of ${what} was changed since its ${releases[mode]} (${other.after} then, now ${imageOf(live, other.container) || "gone"}); deploy the image that you want`,
    );
  return origin;
}

/** Each step may be repeated. */
async function restore(
  run: JobRun,
  { environment, service, place, client }: RolloutPlace,
  { images, replicas }: Origin,
): Promise<void> {
  const { projectKey, envKey, production } = environment;
  const workload = { ...place, projectKey, envKey, production, service, owner: ownerOfRun(run) };
  for (const { container, before } of images)
    await setImage(client, workload, { container, image: before }, run.task.creator);
  const live = await client.get(deploymentRef(place));
  if (!(await isAutoscaled(client, live))) await setReplicas(client, place, replicas);
  const before = images.map((one) => one.before).join(", ");
  say(run, `${place.kind} "${place.name}" goes back to ${before} and ${replicas} pods`);
}

/** What was rolled back cannot be rolled back again; what failed can. */
async function end<T extends ReturnType<typeof passed>>(
  run: JobRun,
  { client, place }: RolloutPlace,
  done: T,
): Promise<T> {
  if (done.ending !== "passed") return done;
  const { mode } = namedPlaceOf(run);
  await removeOrigin(client, place, mode);
  say(run, `${place.kind} "${place.name}" is what it was before its ${releases[mode]}`);
  return done;
}

const releases: Readonly<Record<NotedMode, string>> = { gray: "gray release", istio: "release by Istio" };

function shown(run: JobRun, { images, replicas }: Origin): Record<string, unknown> {
  const [first] = images;
  if (namedPlaceOf(run).mode === "istio") return { image: first?.before ?? "", replicas };
  return { image: first?.before ?? "", container_name: first?.container ?? "", total_replica: replicas };
}
