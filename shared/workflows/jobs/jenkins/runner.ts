import { nowSeconds } from "../../../base/store/ids.ts";
import {
  cancelItem,
  jenkinsServer,
  readBuild,
  readConsole,
  readParameters,
  readQueueItem,
  startBuild,
  stopBuild,
} from "../../../integrations/jenkins/jenkins.ts";
import type { Server } from "../../../integrations/server/callServer.ts";
import { ServerRefused, ServerUnavailable } from "../../../integrations/server/serverErrors.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import type { JobEnd } from "../../records/task.ts";
import { openIntegration } from "../outside/openIntegration.ts";
import { outsideRunner } from "../outside/outsideRunner.ts";
import type { OutsideWork } from "../outside/outsideWork.ts";
import { failed, type JobRun, later, type NotYet, passed } from "../runner.ts";
import { type JenkinsRun, jenkinsSort } from "./planner.ts";

/** How far a build is. */
interface Building {
  /** It was asked for, once; Jenkins may have heard of it. */
  asked: true;
  item: number;
  /** Unix seconds. */
  since: number;
  build: number;
  /** Where its console text continues, and the beginning of a line that it has not ended. */
  at: number;
  unfinished: string;
}

/** Of the console text, so much is shown in task detail beside the log. */
const longestOutput = 16_384;
const longestLine = 8192;

/** Starts a build of a Jenkins server, follows it and its log, and ends as it does; only SUCCESS passes (contract W 5). */
export const runner = outsideRunner<Building>({
  prepare: async (run) => {
    const { address } = await serverOf(run);
    return { host: address, job: run.spec.job };
  },
  work: async (run, outside) => {
    const server = await serverOf(run, outside);
    if (outside.state.item === undefined) await start(run, server, outside);
    return outside.state.build === undefined ? enqueued(run, server, outside) : built(run, server, outside);
  },
  stop: async (run, outside) => {
    const { item, build } = outside.state;
    if (item === undefined) return;
    const server = await serverOf(run, outside);
    const { jobName } = runOf(run);
    const left = build === undefined ? await readQueueItem(server, jobName, item) : { state: "left" as const, build };
    if (left.state === "queued") {
      await cancelItem(server, item);
      outside.say(`item ${item} was taken out of the queue of Jenkins`);
    }
    if (left.state !== "left") return;
    outside.state.build = left.build;
    await stopBuild(server, jobName, left.build);
    await follow(run, server, outside);
    outside.say(`build ${left.build} was stopped`);
  },
});

function runOf({ run }: JobRun): JenkinsRun {
  return run as unknown as JenkinsRun;
}

async function serverOf(run: JobRun, outside?: OutsideWork<Building>): Promise<Server> {
  const record = await openIntegration(jenkinsSort, runOf(run).serverId, run.task.owner.projectKey);
  outside?.hide(record.secrets);
  return jenkinsServer({ ...record.shown, password: record.secretOf("password") });
}

/** Once: no second build is asked for because the answer to the first request was lost. */
async function start(run: JobRun, server: Server, outside: OutsideWork<Building>): Promise<void> {
  const { jobName, parameters } = runOf(run);
  const lost = `it is not known whether Jenkins has begun to build job ${jobName}: look there before the job is run again`;
  if (outside.state.asked) throw new ServerRefused(lost);
  const known = await readParameters(server, jobName);
  const unknown = parameters.filter(({ name }) => !known?.includes(name)).map(({ name }) => name);
  if (unknown.length > 0)
    throw new ServerRefused(
      `job ${jobName} of Jenkins has no parameter ${unknown.join(", ")}; it has ${known?.join(", ") || "none"}`,
    );
  outside.state = { ...outside.state, asked: true, since: nowSeconds() };
  await outside.keep();
  const values = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
  try {
    outside.state.item = await startBuild(server, jobName, known && values);
  } catch (error) {
    if (error instanceof ServerUnavailable) throw new ServerRefused(`${error.message}; ${lost}`, { cause: error });
    throw error;
  }
  outside.say(`job ${jobName} is in the queue of ${server.address}, item ${outside.state.item}`);
  await outside.keep();
}

async function enqueued(run: JobRun, server: Server, outside: OutsideWork<Building>): Promise<JobEnd | NotYet> {
  const { item = 0, since = nowSeconds() } = outside.state;
  const { jobName } = runOf(run);
  const found = await readQueueItem(server, jobName, item);
  if (found.state === "cancelled") return failed(`the build of job ${jobName} was taken out of the queue of Jenkins`);
  if (found.state === "queued") return later(since);
  outside.state = { ...outside.state, build: found.build, since: nowSeconds(), at: 0 };
  show(outside, { job_id: found.build });
  outside.say(`build ${found.build} of job ${jobName} has begun`);
  return built(run, server, outside);
}

async function built(run: JobRun, server: Server, outside: OutsideWork<Building>): Promise<JobEnd | NotYet> {
  const { build = 0, since = nowSeconds() } = outside.state;
  const { jobName } = runOf(run);
  const { isRunning, result, url } = await readBuild(server, jobName, build);
  // Read after its end, the text is whole.
  await follow(run, server, outside);
  if (isRunning) return later(since);
  if (outside.state.unfinished) outside.say(outside.state.unfinished);
  const outputs = { BUILD_NUMBER: String(build), BUILD_URL: outside.masked(url), RESULT: result };
  if (result === "SUCCESS") return passed({ outputs });
  return failed(`build ${build} of job ${jobName} ended with ${result}`, { outputs });
}

/** Takes over what the console says since the last look. */
async function follow(run: JobRun, server: Server, outside: OutsideWork<Building>): Promise<void> {
  const { build = 0, at = 0, unfinished = "" } = outside.state;
  const { text, next } = await readConsole(server, runOf(run).jobName, build, at);
  const lines = `${unfinished}${text}`.split(/\r?\n/);
  const rest = lines.pop() ?? "";
  for (const line of lines) outside.say(line);
  const isLong = rest.length > longestLine;
  if (isLong) outside.say(rest);
  outside.state = { ...outside.state, at: next, unfinished: isLong ? "" : rest };
  if (text !== "")
    show(outside, { job_output: outside.masked(`${shownJob(outside).job_output ?? ""}${text}`).slice(-longestOutput) });
}

function shownJob({ result }: OutsideWork<Building>): Record<string, unknown> {
  return isRecord(result.job) ? result.job : {};
}

function show(outside: OutsideWork<Building>, more: Record<string, unknown>): void {
  outside.result = { ...outside.result, job: { ...shownJob(outside), ...more } };
}
