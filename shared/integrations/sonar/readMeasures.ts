import * as z from "zod";
import { askSonar, type SonarAccess } from "./askSonar.ts";

/** Names of SonarQube's metrics. */
const metricKeys = ["ncloc", "bugs", "vulnerabilities", "code_smells", "coverage"] as const;
type MetricKey = (typeof metricKeys)[number];

const answer = z.object({
  component: z.object({ measures: z.array(z.object({ metric: z.string(), value: z.string().default("") })) }),
});

/** Numbers of a project as SonarQube writes them; empty where it has none. @throws ServerRefused, ServerUnavailable */
export async function readMeasures(
  access: SonarAccess,
  { component, branch, pullRequest }: { component: string; branch: string; pullRequest: string },
): Promise<Readonly<Record<MetricKey, string>>> {
  const query = {
    component,
    metricKeys: metricKeys.join(","),
    ...(branch !== "" && { branch }),
    ...(pullRequest !== "" && { pullRequest }),
  };
  const asked = { query, answer, what: `the measures of ${component}` };
  const { measures } = (await askSonar(access, "api/measures/component", asked)).component;
  const numberOf = (key: MetricKey) => measures.find(({ metric }) => metric === key)?.value ?? "";
  return Object.fromEntries(metricKeys.map((key) => [key, numberOf(key)])) as Record<MetricKey, string>;
}
