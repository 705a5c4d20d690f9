import { textMasker } from "../masker.ts";
import type { TestProblem, TestReport } from "./testReport.ts";

/**
 * A report without the secrets that its job printed into it.
 * @param masks undefined when they are no longer known: then only the numbers are shown
 */
export function maskedReport(report: TestReport, masks: readonly string[] | undefined): TestReport {
  if (masks === undefined) return { ...report, testCases: [] };
  const masked = textMasker(masks);
  const withoutSecrets = (problem: TestProblem | null) =>
    problem && { message: masked(problem.message), type: masked(problem.type), text: masked(problem.text) };
  const testCases = report.testCases.map(({ name, time, failure, error }) => ({
    ...{ name: masked(name), time, failure: withoutSecrets(failure), error: withoutSecrets(error) },
  }));
  return { ...report, testCases };
}
