import * as z from "zod";
import { askSonar, type SonarAccess } from "./askSonar.ts";

/** What SonarQube makes of one report of a scanner. */
export type Analysis =
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
 * @throws SonarRefused, SonarUnavailable
 */
export async function readAnalysis(access: SonarAccess, taskId: string): Promise<Analysis> {
  const asked = { query: { id: taskId }, answer, what: `the analysis task ${taskId}` };
  const { task } = await askSonar(access, "api/ce/task", asked);
  const { status, analysisId, componentKey: component, branch, pullRequest, errorMessage } = task;
  if (status === "PENDING" || status === "IN_PROGRESS") return { state: "pending" };
  if (status === "SUCCESS") return { state: "done", analysisId, component, branch, pullRequest };
  return { state: "failed", reason: errorMessage || `its task is ${status}` };
}
