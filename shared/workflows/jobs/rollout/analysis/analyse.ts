import { isDeepStrictEqual } from "node:util";
import type { Rollout } from "../../../../environments/store/rollouts.ts";
import type { ClusterClient } from "../../../../kube/client/ClusterClient.ts";
import { ClusterError } from "../../../../kube/client/errors.ts";
import { withCallBudget } from "../../../../outbound/callBudget.ts";
import { nowSeconds } from "../../../../store/ids.ts";
import { table } from "../../../../store/table.ts";
import { tryWrite } from "../../../../store/tryWrite.ts";
import { changeJob } from "../../../records/records.ts";
import type { JobRun } from "../../runner.ts";
import { rolloutRunOf } from "../rolloutRun.ts";
import { type Analysis, secondsOfLook } from "./analyses.ts";
import { jobValue } from "./jobValue.ts";
import { dueAt, judged, type Looked, lookedIn, notLooked, withLook } from "./looks.ts";
import { NoValue } from "./noValue.ts";
import { podsValue } from "./podsValue.ts";
import { prometheusValue } from "./prometheusValue.ts";
import { webValue } from "./webValue.ts";

/** What the looks have come to so far. */
export type Analysed = { result: { analysis: Looked[] } } & (
  | { outcome: "passed" }
  | { outcome: "failed"; error: string }
  | { outcome: "waits"; seconds: number }
);

/** Until a Job that runs is looked at again. */
const secondsBetween = 5;
/** A task that is cancelled is seen to be within it. */
const longestWait = 60;

/**
 * Looks at everything that is due, and keeps what was seen; may be repeated at any time.
 * @param shown is kept with it
 */
export async function analyse(
  run: JobRun,
  client: ClusterClient,
  rollout: Rollout,
  shown: Record<string, unknown> = {},
): Promise<Analysed> {
  const { task, job } = run;
  const analyses = rolloutRunOf(run).analysis ?? [];
  const now = nowSeconds();
  const before = lookedIn(job.result) ?? analyses.map((one) => notLooked(one, now));
  const looked = await Promise.all(
    before.map((one, at) => lookIfDue(analyses[at], one, now, (analysis) => seen(analysis, one, client, rollout))),
  );
  const result = { ...job.result, ...shown, analysis: looked };
  // A Job that runs is asked for every few seconds, and mostly nothing is new.
  if (!isDeepStrictEqual(result, job.result)) await tryWrite(table().write(changeJob(task, job, { set: { result } })));
  const failed = looked.find(({ status }) => status === "failed");
  if (failed !== undefined) return { outcome: "failed", error: sentence(failed), result };
  const waits = looked.flatMap((one, at) => (one.status === "running" ? secondsUntil(analyses[at], one) : []));
  if (waits.length === 0) return { outcome: "passed", result };
  return { outcome: "waits", seconds: Math.min(longestWait, ...waits), result };
}

async function lookIfDue(
  analysis: Analysis | undefined,
  looked: Looked,
  now: number,
  see: (analysis: Analysis) => Promise<number | undefined>,
): Promise<Looked> {
  if (analysis === undefined || looked.status !== "running" || now < dueAt(analysis, looked)) return looked;
  const value = await valueOrReason(() => see(analysis));
  return value === undefined ? looked : withLook(analysis, looked, judged(analysis, value, now));
}

/** @returns undefined for what is not known yet @throws NoValue, ClusterError */
async function seen(
  analysis: Analysis,
  looked: Looked,
  client: ClusterClient,
  rollout: Rollout,
): Promise<number | undefined> {
  const { provider, integrationId, query } = analysis;
  if (provider === "prometheus") return prometheusValue(integrationId, query);
  if (provider === "web") return webValue(integrationId, query);
  return provider === "job" ? jobValue(client, rollout, analysis, looked) : podsValue(client, rollout);
}

async function valueOrReason<T>(see: () => Promise<T>): Promise<T | string> {
  try {
    return await withCallBudget(secondsOfLook, see);
  } catch (error) {
    if (error instanceof NoValue || error instanceof ClusterError) return error.message;
    throw error;
  }
}

/** What is due and still running has not ended yet. */
function secondsUntil(analysis: Analysis | undefined, looked: Looked): number[] {
  if (analysis === undefined) return [];
  const seconds = dueAt(analysis, looked) - nowSeconds();
  return [seconds > 0 ? seconds : secondsBetween];
}

function sentence({ name, looks }: Looked): string {
  const failures = looks.filter(({ passed }) => !passed).length;
  return `analysis ${name} failed at ${failures} of ${looks.length} looks: ${looks.at(-1)?.reason ?? ""}`;
}
