import { nowSeconds } from "../../../base/store/ids.ts";
import { ServerRefused, ServerUnavailable } from "../../../integrations/server/serverErrors.ts";
import type { Tree } from "../../../manifest/tree.ts";
import type { JobEnd } from "../../records/task.ts";
import { failed, type JobRun, type JobRunner, later, type NotYet, stopped, type WhyFinished } from "../runner.ts";
import { OutsideWork } from "./outsideWork.ts";

/** So long a server that answered before may not answer. */
const patienceSeconds = 300;

interface OutsideKind<State extends object> {
  /** What is shown before anything has happened. @throws ServerRefused for what cannot be done */
  prepare(run: JobRun): Promise<Tree>;
  /** Does the work, or as much of it as one call may; called again with what it has kept. @throws ServerRefused, ServerUnavailable */
  work(run: JobRun, outside: OutsideWork<State>): Promise<JobEnd | NotYet>;
  /** Ends what runs at the other system, where something does. @throws likewise */
  stop?(run: JobRun, outside: OutsideWork<State>): Promise<void>;
}

/**
 * For kinds that work at a system which knows nothing of tasks: the last step does it, in as many calls as it takes, and
 * looks less often the longer it takes (record 210).
 */
export function outsideRunner<State extends object>(kind: OutsideKind<State>): JobRunner {
  return {
    begin: async (run) => {
      try {
        return { waits: true, goesOn: true, set: { result: await kind.prepare(run) } };
      } catch (error) {
        if (error instanceof ServerRefused) return failed(error.message);
        throw error;
      }
    },
    finish: async (run, why) => {
      const outside = new OutsideWork<State>(run);
      const overdue = why === "settled" && nowSeconds() >= run.deadline ? "timeout" : why;
      const outcome = await (overdue === "settled" ? tried(kind, run, outside) : halted(kind, run, outside, overdue));
      if (!("notYet" in outcome)) return ended(outside, outcome);
      if (await outside.keep()) return outcome;
      return ended(outside, await halted(kind, run, outside, "cancelled"));
    },
  };
}

async function ended<State extends object>(outside: OutsideWork<State>, outcome: JobEnd): Promise<JobEnd> {
  const error = outside.masked(outcome.error);
  if (error !== "") outside.say(error);
  await outside.storeLog();
  return { ...outcome, error, result: outside.result };
}

/** A server that does not answer is asked again for some minutes; what it refuses ends the job. */
async function tried<State extends object>(
  kind: OutsideKind<State>,
  run: JobRun,
  outside: OutsideWork<State & Silence>,
): Promise<JobEnd | NotYet> {
  try {
    const outcome = await kind.work(run, outside as unknown as OutsideWork<State>);
    outside.state = { ...outside.state, silentSince: undefined };
    return outcome;
  } catch (error) {
    if (error instanceof ServerRefused) return failed(error.message);
    if (!(error instanceof ServerUnavailable)) throw error;
    const { silentSince = nowSeconds() } = outside.state as Silence;
    outside.state = { ...outside.state, silentSince };
    return nowSeconds() - silentSince < patienceSeconds ? later(silentSince) : failed(error.message);
  }
}

interface Silence {
  /** Unix seconds. */
  silentSince?: number | undefined;
}

/** Stops what runs outside; that it cannot be stopped is said, and changes nothing about the end. */
async function halted<State extends object>(
  kind: OutsideKind<State>,
  run: JobRun,
  outside: OutsideWork<State>,
  why: Exclude<WhyFinished, "settled">,
): Promise<JobEnd> {
  try {
    await kind.stop?.(run, outside);
  } catch (error) {
    if (!(error instanceof ServerRefused || error instanceof ServerUnavailable)) throw error;
    outside.say(`it could not be stopped: ${error.message}`);
  }
  return stopped(why);
}
