import type { JobEnd } from "../../records/task.ts";
import { failed, type JobRun, type NotYet, passed, type WhyFinished } from "../runner.ts";
import { waitEnd } from "../waitEnd.ts";
import { analyse } from "./analysis/analyse.ts";
import { lookedIn } from "./analysis/looks.ts";
import { findPlace, type RolloutPlace } from "./findTarget.ts";
import { requireOwn } from "./releaseRunner.ts";
import { rolloutRunOf } from "./rolloutRun.ts";
import { takeBack } from "./takeBack.ts";

/** Has the share of a step take effect, and says what the detail shows of it. May be repeated. */
export type StepEffect = (run: JobRun, found: RolloutPlace) => Promise<Record<string, unknown>>;

/** Whether the new pods of a step are ready, or why not; once its share has taken effect, only the looks continue. */
export async function finishStep(run: JobRun, why: WhyFinished, effect: StepEffect): Promise<JobEnd | NotYet> {
  if (why === "settled" && lookedIn(run.job.result) !== undefined) return look(run, await findPlace(run));
  const end = await waitEnd(run, why, async () => (await findPlace(run)).environment);
  return end.ending === "passed" ? endStep(run, await findPlace(run), effect) : end;
}

/** The new pods are ready: the share takes effect, and where the step says so it is looked at before the step passes (record 142). */
export async function endStep(run: JobRun, found: RolloutPlace, effect: StepEffect): Promise<JobEnd | NotYet> {
  const shown = await effect(run, found);
  return (rolloutRunOf(run).analysis ?? []).length === 0 ? passed({ result: shown }) : look(run, found, shown);
}

/** What fails takes the whole release back, and not this step alone. */
async function look(run: JobRun, found: RolloutPlace, shown?: Record<string, unknown>): Promise<JobEnd | NotYet> {
  const rollout = await requireOwn(run, found);
  const analysed = await analyse(run, found.client, rollout, shown);
  const { outcome, result } = analysed;
  if (outcome === "waits") return { notYet: true, seconds: analysed.seconds };
  return outcome === "passed" ? passed({ result }) : takeBack(run, rollout, failed(analysed.error, { result }));
}
