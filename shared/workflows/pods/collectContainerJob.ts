import { nowSeconds } from "../../base/store/ids.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { ContainerStatus, LivePod } from "../../kube/live/liveTypes.ts";
import { endOf, findJob, findPod, type LiveJob, masksOfJob, stepStatuses } from "./liveJob.ts";
import { readReport } from "./readReport.ts";
import type { CheckedOutCommit, CollectedJob } from "./rules/collectedJob.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";
import { maxOutputBytes, maxReportBytes, outputMarks, reportMarks } from "./rules/marks.ts";
import { maskedText, textMasker } from "./rules/masker.ts";
import { areTooLong, type JobMessage, readCommits, readMessage, readOutputs } from "./rules/readMessage.ts";
import { isEmptyReport, mergeReports, reportProblem } from "./rules/reports/mergeReports.ts";
import type { TestProblem, TestReport } from "./rules/reports/testReport.ts";
import { stuckReason } from "./stuckReason.ts";

/** Beyond this nodes begin a new log file, and the beginning is lost anyway. */
const maxBytes = 16 * 1024 * 1024;
const readSeconds = 60;

/** What the main container of an ended pod printed. @throws ClusterError */
async function mainContainerText(
  client: ClusterClient,
  { namespace }: ContainerJobRef,
  pod: { name: string; container: string },
): Promise<string> {
  const signal = AbortSignal.timeout(readSeconds * 1000);
  const log = await client.podLog({ namespace, name: pod.name }, { container: pod.container, signal });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of log) {
    bytes += chunk.length;
    if (bytes > maxBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The lines between two marks; undefined when one of them is missing. */
function linesBetween(text: string, { begin, end }: { begin: string; end: string }): string[] | undefined {
  const lines = text.split("\n");
  const from = lines.indexOf(begin);
  const to = lines.indexOf(end, from + 1);
  return from < 0 || to < 0 ? undefined : lines.slice(from + 1, to);
}

export interface CollectOptions {
  /** Unix seconds: a job that runs then is `timeout` (contract W 8.7). */
  deadline: number;
  /** The declared names; others that a script left are no outputs. */
  outputs: readonly string[];
  /** Percent of the test cases that must not fail; absent: no rate is required (contract W 13.4). */
  passRate?: number;
}

/**
 * What became of a job, from its Job and its pod (contract W 11.7, decisions 7.4). Call it before the job is removed; a
 * repeated call returns the same. @throws ClusterError
 */
export async function collectContainerJob(ref: ContainerJobRef, options: CollectOptions): Promise<CollectedJob> {
  const { client } = await openCluster(ref.clusterId);
  const job = await findJob(client, ref);
  if (job === undefined) return failed(`Job ${ref.name} was deleted from the cluster while it was awaited`);
  const pod = await findPod(client, ref);
  const collected =
    endOf(job) === undefined
      ? await unended(client, ref, { job, pod, options })
      : await ended(client, ref, { job, pod, options });
  const { error, report } = collected;
  if (error === "" && report === undefined) return collected;
  const masks = await masksOfJob(client, ref);
  return {
    ...collected,
    ...(error !== "" && { error: masks === undefined ? "the job did not pass" : maskedText(error, masks) }),
    ...(report !== undefined && { report: maskedReport(report, masks) }),
  };
}

interface Seen {
  job: LiveJob;
  pod: LivePod | undefined;
  options: CollectOptions;
}

async function unended(
  client: ClusterClient,
  ref: ContainerJobRef,
  { job, pod, options }: Seen,
): Promise<CollectedJob> {
  if (options.deadline <= nowSeconds()) return timeout;
  const stuck = await stuckReason(client, ref, { job, pod });
  if (stuck === undefined) return { outcome: "running", error: "", outputs: {} };
  return failed(stuck);
}

async function ended(client: ClusterClient, ref: ContainerJobRef, { job, pod, options }: Seen): Promise<CollectedJob> {
  const end = endOf(job);
  if (end?.reason === "DeadlineExceeded") return timeout;
  const main = pod?.status?.containerStatuses?.[0];
  const last = main?.state?.terminated;
  const broken = pod && stepStatuses(pod).find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (broken !== undefined) return failedStep(broken);
  if (pod === undefined || main === undefined || last === undefined)
    return failed(`Job ${ref.name} ended without its pod: ${wordsOf(pod?.status ?? end)}`);
  const message = readMessage(last.message ?? "");
  // Nothing of ours ended it: the pod was evicted, or killed by its node.
  if ((last.exitCode ?? 0) !== 0 && message.failed === undefined)
    return failed(`the job's pod was ended: ${wordsOf(pod.status?.reason === undefined ? last : pod.status)}`);
  return concluded(await broughtOut(client, ref, { pod: pod.metadata.name, container: main.name, message }), {
    message,
    options,
  });
}

interface BroughtOut {
  outputs: Record<string, string>;
  commits: ReadonlyMap<number, CheckedOutCommit>;
  report?: TestReport;
  problems: string[];
}

async function broughtOut(
  client: ClusterClient,
  ref: ContainerJobRef,
  { pod, container, message }: { pod: string; container: string; message: JobMessage },
): Promise<BroughtOut> {
  const isInLog = message.outputsInLog || message.report === "log";
  const text = isInLog ? await mainContainerText(client, ref, { name: pod, container }) : "";
  const inLog = message.outputsInLog ? (linesBetween(text, outputMarks) ?? []) : undefined;
  const outputs = inLog === undefined ? message.outputs : readOutputs(inLog);
  const tooLong = message.outputsTooLong || areTooLong(outputs);
  const result: BroughtOut = {
    outputs: tooLong ? {} : outputs,
    commits: inLog === undefined ? message.commits : readCommits(inLog),
    problems: tooLong ? [`the outputs of the job have more than ${maxOutputBytes} bytes as JSON`] : [],
  };
  return { ...result, ...reportOf(message, text, result.problems) };
}

function reportOf(
  { report: state }: JobMessage,
  text: string,
  problems: readonly string[],
): Pick<BroughtOut, "problems"> & { report?: TestReport } {
  const wrong = (problem: string) => ({ problems: [...problems, `the test report cannot be read: ${problem}`] });
  if (state === undefined) return { problems: [...problems] };
  switch (state) {
    case "none":
      return { problems: [...problems], report: mergeReports([]) };
    case "unreadable":
      return wrong("its directory could not be packed");
    case "too-large":
      return wrong(`it has more than ${maxReportBytes} bytes compressed`);
    case "log": {
      const lines = linesBetween(text, reportMarks);
      if (lines === undefined) return wrong("the cluster truncated the log that holds it");
      try {
        return { problems: [...problems], report: readReport(lines) };
      } catch (error) {
        return wrong(error instanceof Error ? error.message : String(error));
      }
    }
  }
}

function concluded(
  { outputs, commits, report, problems }: BroughtOut,
  { message, options }: { message: JobMessage; options: CollectOptions },
): CollectedJob {
  const { failed: step } = message;
  // What failed before it wrote a report is not to be blamed for an empty one.
  const isEmpty = step !== undefined && report !== undefined && isEmptyReport(report);
  const poor = report === undefined || isEmpty ? undefined : reportProblem(report, options.passRate ?? 0);
  const sentences = [
    ...(step === undefined ? [] : [withReason(`step ${step.step} ended with exit code ${step.exitCode}`, step.reason)]),
    ...problems,
    ...(poor === undefined ? [] : [poor]),
  ];
  return {
    outcome: sentences.length === 0 ? "passed" : "failed",
    error: sentences.join("; "),
    ...(step !== undefined && { exitCode: step.exitCode }),
    outputs: Object.fromEntries(Object.entries(outputs).filter(([name]) => options.outputs.includes(name))),
    ...(commits.size > 0 && { commits }),
    ...(report !== undefined && { report }),
  };
}

/** A step whose container itself failed: killed by its node, or an image that runs as it is. */
function failedStep({ name, state }: ContainerStatus): CollectedJob {
  const { exitCode = 1, reason = "", message = "" } = state?.terminated ?? {};
  const why = reason === "" || reason === "Error" ? "" : ` (${reason})`;
  const lastWords = message.trimEnd().split("\n").at(-1) ?? "";
  const sentence = `step ${name} ended with exit code ${exitCode}${why}`;
  return { ...failed(withReason(sentence, lastWords)), exitCode };
}

function withReason(sentence: string, reason: string): string {
  return reason === "" ? sentence : `${sentence}: ${reason}`;
}

const timeout: CollectedJob = { outcome: "timeout", error: "the job did not end within its time", outputs: {} };

function failed(error: string): CollectedJob {
  return { outcome: "failed", error, outputs: {} };
}

function wordsOf(told: { reason?: string; message?: string } | undefined): string {
  const words = [told?.reason, told?.message].filter((text) => text !== undefined && text !== "");
  return words.length === 0 ? "the cluster gives no reason" : words.join(": ");
}

/**
 * A report without the secrets that its job printed into it.
 * @param masks undefined when they are no longer known: then only the numbers are shown
 */
function maskedReport(report: TestReport, masks: readonly string[] | undefined): TestReport {
  if (masks === undefined) return { ...report, testCases: [] };
  const masked = textMasker(masks);
  const withoutSecrets = (problem: TestProblem | null) =>
    problem && { message: masked(problem.message), type: masked(problem.type), text: masked(problem.text) };
  const testCases = report.testCases.map(({ name, time, failure, error }) => ({
    ...{ name: masked(name), time, failure: withoutSecrets(failure), error: withoutSecrets(error) },
  }));
  return { ...report, testCases };
}
