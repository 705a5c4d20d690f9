import type { TestCase, TestReport } from "./testReport.ts";

/** One `testsuite` of a JUnit file; numbers as its attributes say, or as its cases tell where they are absent. */
export interface TestSuite {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
  time: number;
  cases: readonly TestCase[];
}

/** All suites in one report (contract W 13.4). */
export function mergeReports(suites: readonly TestSuite[]): TestReport {
  const sum = (of: (suite: TestSuite) => number) => suites.reduce((total, suite) => total + of(suite), 0);
  const [testCaseNum, failedCaseNum, errorCaseNum, skipCaseNum] = [
    sum(({ tests }) => tests),
    sum(({ failures }) => failures),
    sum(({ errors }) => errors),
    sum(({ skipped }) => skipped),
  ];
  return {
    testCaseNum,
    successCaseNum: Math.max(0, testCaseNum - failedCaseNum - errorCaseNum - skipCaseNum),
    failedCaseNum,
    errorCaseNum,
    skipCaseNum,
    // Sums of decimal fractions gather digits that nobody measured.
    testTime: Math.round(sum(({ time }) => time) * 1e6) / 1e6,
    testCases: suites.flatMap(({ cases }) => cases),
  };
}

/**
 * Why a report makes its job fail (contract W 13.4); undefined when it does not.
 * @param passRate percent that must succeed
 */
export function reportProblem(report: TestReport, passRate: number): string | undefined {
  const { testCaseNum, successCaseNum } = report;
  if (testCaseNum === 0) return "the test report holds no test case";
  const rate = Math.round((successCaseNum / testCaseNum) * 100);
  if (rate >= passRate) return undefined;
  return `${successCaseNum} of ${testCaseNum} test cases succeeded: the pass rate of ${rate} % is below the required ${passRate} %`;
}
