import { findRollout, type Rollout } from "../../../environments/store/rollouts.ts";
import type { JobEnd } from "../../records/task.ts";
import { failed, type JobRun, type JobRunner } from "../runner.ts";
import { analyse } from "./analysis/analyse.ts";
import { lookedIn } from "./analysis/looks.ts";
import { findPlace } from "./findTarget.ts";
import { giveBack } from "./giveBack.ts";
import { say } from "./rolloutEvents.ts";
import { ownerOfRun } from "./rolloutRun.ts";

/** Everything becomes what it was before the rollout, now or as soon as former pods are ready again. */
export async function takeBack(run: JobRun, rollout: Rollout, end: JobEnd): Promise<JobEnd> {
  if (await giveBack(rollout, run.task.creator)) {
    if (end.error !== "") say(run, end.error, "error");
    say(run, "everything is as it was before the rollout");
    return end;
  }
  const more = "the new pods keep the traffic until the former ones are ready again";
  return { ...end, error: end.error === "" ? more : `${end.error}; ${more}` };
}

/** The runner of a job with looks: if one failed and the call that saw it died, the job ends as it would have then. */
export function endingAsLooked({ begin, finish }: JobRunner): JobRunner {
  return {
    begin: async (run) => (await foundWanting(run)) ?? begin(run),
    finish: async (run, why) => (why === "settled" ? await foundWanting(run) : undefined) ?? finish(run, why),
  };
}

/** Some of it may be taken back already. */
async function foundWanting(run: JobRun): Promise<JobEnd | undefined> {
  if (lookedIn(run.job.result)?.some(({ status }) => status === "failed") !== true) return undefined;
  const { place, client } = await findPlace(run);
  const standing = await findRollout(place);
  if (standing?.owner !== ownerOfRun(run) || standing.released === true) return undefined;
  const analysed = await analyse(run, client, standing);
  if (analysed.outcome !== "failed") return undefined;
  return takeBack(run, standing, failed(analysed.error, { result: analysed.result }));
}
