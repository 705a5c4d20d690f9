import * as z from "zod";
import { nowSeconds } from "../../../base/store/ids.ts";
import { ServerRefused, ServerUnavailable } from "../../../integrations/server/serverErrors.ts";
import { askSonar, type SonarAccess } from "../../../integrations/sonar/askSonar.ts";
import { type Gate, readGate } from "../../../integrations/sonar/readGate.ts";
import { readMeasures } from "../../../integrations/sonar/readMeasures.ts";
import type { JobEnd } from "../../records/task.ts";
import { later, type NotYet } from "../runner.ts";
import type { ScanRun } from "./planner.ts";
import { sonarServer } from "./sonarServer.ts";

/** What SonarQube makes of one report of a scanner. */
type Analysis =
  | { state: "pending" }
  /** `reason` may be empty. */
  | { state: "failed"; reason: string }
  | { state: "done"; analysisId: string; component: string; branch: string; pullRequest: string };

const optional = z.string().default("");

const answer = z.object({
  task: z.object({
    status: z.string(),
    analysisId: optional,
    componentKey: optional,
    branch: optional,
    pullRequest: optional,
    errorMessage: optional,
  }),
});

/**
 * How far SonarQube's compute engine is with a report (`api/ce/task`).
 * @throws ServerRefused, ServerUnavailable
 */
async function readAnalysis(access: SonarAccess, taskId: string): Promise<Analysis> {
  const asked = { query: { id: taskId }, answer, what: `the analysis task ${taskId}` };
  const { task } = await askSonar(access, "api/ce/task", asked);
  const { status, analysisId, componentKey: component, branch, pullRequest, errorMessage } = task;
  if (status === "PENDING" || status === "IN_PROGRESS") return { state: "pending" };
  if (status === "SUCCESS") return { state: "done", analysisId, component, branch, pullRequest };
  return { state: "failed", reason: errorMessage || `its task is ${status}` };
}

/** So long a server may not answer, and so long a scan without a gate waits for numbers. */
const patienceSeconds = 300;

/**
 * What SonarQube makes of the scanner's report: numbers, and with a gate the verdict, which decides about the job
 * (contract W 12.4). Without a gate nothing that SonarQube does fails the job.
 */
export async function followAnalysis(run: ScanRun, end: JobEnd, since: number): Promise<JobEnd | NotYet> {
  const hasTime = nowSeconds() - since < patienceSeconds;
  const unlessGated = (error: string): JobEnd => (run.enableQualityGate ? { ...end, ending: "failed", error } : end);
  const taskId = end.outputs.SonarCETaskID ?? "";
  if (taskId === "") return unlessGated("the scanner did not say which analysis it has asked for");
  try {
    const access = await sonarServer(run.sonarId);
    const analysis = await readAnalysis(access, taskId);
    if (analysis.state === "pending") return run.enableQualityGate || hasTime ? later(since, 5) : end;
    if (analysis.state === "failed") return unlessGated(`SonarQube could not process the analysis: ${analysis.reason}`);
    const gate = await readGate(access, analysis.analysisId);
    const measured = { ...end, result: { ...end.result, sonar_metrics: await metricsOf(access, gate, analysis) } };
    if (!run.enableQualityGate || gate.status === "OK") return measured;
    return { ...measured, ending: "failed", error: verdict(gate) };
  } catch (error) {
    if (error instanceof ServerUnavailable) return hasTime ? later(since, 5) : unlessGated(error.message);
    if (error instanceof ServerRefused) return unlessGated(error.message);
    throw error;
  }
}

/** Numbers that the token may not read are empty: they decide nothing. */
async function metricsOf(access: SonarAccess, gate: Gate, of: Parameters<typeof readMeasures>[1]) {
  const measures = await readMeasures(access, of).catch((error: unknown) => {
    if (error instanceof ServerRefused) return undefined;
    throw error;
  });
  return {
    QualityGateStatus: gate.status,
    Ncloc: measures?.ncloc ?? "",
    Bugs: measures?.bugs ?? "",
    Vulnerabilities: measures?.vulnerabilities ?? "",
    CodeSmells: measures?.code_smells ?? "",
    Coverage: measures?.coverage ?? "",
  };
}

function verdict({ status, unmet }: Gate): string {
  const why = unmet.map(({ metric, value }) => `${metric} is ${value}`).join(", ");
  return `the quality gate is ${status}, not OK${why === "" ? "" : `: ${why}`}`;
}
