import type { TestReport } from "./testReport.ts";

/** The reports of several files in one (contract W 13.4); of none: one without a case. */
export function mergeReports(reports: readonly TestReport[]): TestReport {
  const sum = (of: (report: TestReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  return {
    testCaseNum: sum(({ testCaseNum }) => testCaseNum),
    successCaseNum: sum(({ successCaseNum }) => successCaseNum),
    failedCaseNum: sum(({ failedCaseNum }) => failedCaseNum),
    errorCaseNum: sum(({ errorCaseNum }) => errorCaseNum),
    skipCaseNum: sum(({ skipCaseNum }) => skipCaseNum),
    // Sums of decimal fractions gather digits that were not measured.
    testTime: Math.round(sum(({ testTime }) => testTime) * 1e6) / 1e6,
    testCases: reports.flatMap(({ testCases }) => testCases),
  };
}

/** Whether it says anything: a header without cases may know of errors alone. */
export function isEmptyReport({ testCaseNum, failedCaseNum, errorCaseNum }: TestReport): boolean {
  return testCaseNum + failedCaseNum + errorCaseNum === 0;
}

/**
 * Why a report makes its job fail (contract W 13.4); undefined when it does not. Cases that were skipped have not failed,
 * and nothing is rounded: one failure of ten thousand is below 100 %.
 * @param passRate percent of the cases that must not fail
 */
export function reportProblem(report: TestReport, passRate: number): string | undefined {
  if (isEmptyReport(report)) return "the test report holds no test case";
  const { testCaseNum, failedCaseNum, errorCaseNum } = report;
  const wrong = failedCaseNum + errorCaseNum;
  if (testCaseNum === 0) return `the test report holds no test case, and ${wrong} failures`;
  const right = Math.max(0, testCaseNum - wrong);
  if (right * 100 >= passRate * testCaseNum) return undefined;
  // Cut, not rounded: what is below 100 % is not shown as 100 %.
  const rate = Math.floor((right * 10_000) / testCaseNum) / 100;
  return `${wrong} of ${testCaseNum} test cases failed: the pass rate of ${rate} % is below the required ${passRate} %`;
}
