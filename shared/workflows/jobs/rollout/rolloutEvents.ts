import { utcText } from "../../../base/common/dateTime.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import type { JobEnd } from "../../records/task.ts";
import { imageOutputs } from "../imageOutputs.ts";
import { inWords } from "../inWords.ts";
import type { JobRun, JobRunner, Waiting } from "../runner.ts";
import { rolloutRunOf } from "./rolloutRun.ts";

/** What happened, as the detail of the task shows it (contract W 4.4). */
interface RolloutEvent {
  event_type: "info" | "error";
  time: string;
  message: string;
}

/** Adds the message to the events of the job unless it is there already, since every call may be repeated. */
export function say(run: JobRun, message: string, event_type: RolloutEvent["event_type"] = "info"): void {
  const events = eventsOf(run);
  if (events.some((one) => one.message === message)) return;
  const said: RolloutEvent[] = [...events, { event_type, time: utcText(nowSeconds()), message }];
  run.job.result = { ...run.job.result, [fieldOf(run)]: said };
}

/** What every job of a rollout leaves beside its own: what was said of it, and its images for later jobs (contract W 7). */
export function withEvents(runner: JobRunner): JobRunner {
  return {
    begin: async (given) => {
      const run = ownOf(given);
      const outcome = await inWords(() => runner.begin(run));
      return "waits" in outcome ? waiting(run, outcome) : ended(run, outcome);
    },
    finish: async (given, why) => {
      const run = ownOf(given);
      const outcome = await inWords(() => runner.finish(run, why));
      return "ending" in outcome ? ended(run, outcome) : outcome;
    },
  };
}

/** What is said stays with this call until it is kept. */
function ownOf(run: JobRun): JobRun {
  return { ...run, job: { ...run.job } };
}

/** A kind that leaves no result of its own here has kept it before, and what was said with it. */
function waiting(run: JobRun, outcome: Waiting): Waiting {
  const result = outcome.set?.result;
  return result === undefined ? outcome : { ...outcome, set: { ...outcome.set, result: { ...result, ...said(run) } } };
}

function ended(run: JobRun, end: JobEnd): JobEnd {
  const isPassed = end.ending === "passed";
  if (!isPassed && end.error !== "") say(run, end.error, "error");
  const images = isPassed ? (rolloutRunOf(run).images ?? []) : [];
  const outputs = imageOutputs(images.map(({ container: name, image }) => ({ name, image })));
  return { ...end, outputs: { ...outputs, ...end.outputs }, result: { ...end.result, ...said(run) } };
}

function said(run: JobRun): Record<string, unknown> {
  const events = eventsOf(run);
  return events.length === 0 ? {} : { [fieldOf(run)]: events };
}

function eventsOf(run: JobRun): RolloutEvent[] {
  const events = run.job.result[fieldOf(run)];
  return Array.isArray(events) ? events : [];
}

/** Releases by Istio call it otherwise. */
function fieldOf({ plan }: JobRun): string {
  return plan.type.startsWith("istio-") ? "event" : "events";
}
