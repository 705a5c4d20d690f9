import * as z from "zod";
import { askSonar, type SonarAccess } from "./askSonar.ts";

/** The verdict of a quality gate: `OK`, `WARN`, `ERROR`, or `NONE` where the project has no gate. */
export interface Gate {
  status: string;
  /** Conditions that are not met. */
  unmet: readonly { metric: string; value: string }[];
}

const condition = z.object({ status: z.string(), metricKey: z.string(), actualValue: z.string().default("") });

const answer = z.object({
  projectStatus: z.object({ status: z.string(), conditions: z.array(condition).default([]) }),
});

/** @throws ServerRefused, ServerUnavailable */
export async function readGate(access: SonarAccess, analysisId: string): Promise<Gate> {
  const asked = { query: { analysisId }, answer, what: "the quality gate of the analysis" };
  const { projectStatus } = await askSonar(access, "api/qualitygates/project_status", asked);
  const unmet = projectStatus.conditions
    .filter(({ status }) => status === "ERROR" || status === "WARN")
    .map(({ metricKey, actualValue }) => ({ metric: metricKey, value: actualValue }));
  return { status: projectStatus.status, unmet };
}
