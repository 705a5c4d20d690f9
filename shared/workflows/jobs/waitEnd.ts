import type { JobEnd } from "../records/task.ts";
import { readinessOf, stopAwaiting, type WaitPlace } from "./readiness.ts";
import { failed, type JobRun, passed, stopped, type WhyFinished } from "./runner.ts";

/** The end of a job that only waited: how the wait ended, or why it was stopped. */
export async function waitEnd(run: JobRun, why: WhyFinished, placeOf: () => Promise<WaitPlace>): Promise<JobEnd> {
  if (why === "settled")
    return asEnd((await readinessOf(run)) ?? failed("its readiness was not recorded; run the job again"));
  // A place that is gone has no waits.
  const place = await placeOf().catch(() => undefined);
  if (place !== undefined) await stopAwaiting(run, place);
  return stopped(why);
}

export function asEnd(ready: "ready" | JobEnd, result: Record<string, unknown> = {}): JobEnd {
  return ready === "ready" ? passed({ result }) : { ...ready, result };
}
