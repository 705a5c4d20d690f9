import type { TestCase, TestProblem, TestReport } from "./testReport.ts";

/** Of one text that a failed case brought: its beginning says what went wrong. */
const maxProblemCharacters = 16 * 1024;

/** Of all cases as JSON, so that a report fits into one answer. */
const maxCaseBytes = 4 * 1024 * 1024;

/**
 * A report as it is kept: long texts are cut, and where there are too many cases those that failed are kept before
 * others. The numbers stay those of the whole report.
 */
export function keptReport(report: TestReport): TestReport {
  const cases = report.testCases.map(shortened);
  let left = maxCaseBytes;
  const kept = new Set<TestCase>();
  for (const one of cases.toSorted((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)))) {
    left -= Buffer.byteLength(JSON.stringify(one)) + 1;
    if (left < 0) break;
    kept.add(one);
  }
  return { ...report, testCases: cases.filter((one) => kept.has(one)) };
}

function hasFailed({ failure, error }: TestCase): boolean {
  return failure !== null || error !== null;
}

function shortened({ name, time, failure, error }: TestCase): TestCase {
  return { name: cut(name), time, failure: shortProblem(failure), error: shortProblem(error) };
}

function shortProblem(problem: TestProblem | null): TestProblem | null {
  return problem && { message: cut(problem.message), type: cut(problem.type), text: cut(problem.text) };
}

function cut(text: string): string {
  return text.length <= maxProblemCharacters ? text : `${text.slice(0, maxProblemCharacters)}…`;
}
