/** One merged report of a test run (contract W 13.4); times in seconds. */
export interface TestReport {
  testCaseNum: number;
  successCaseNum: number;
  failedCaseNum: number;
  errorCaseNum: number;
  skipCaseNum: number;
  testTime: number;
  testCases: readonly TestCase[];
}

export interface TestCase {
  name: string;
  time: number;
  failure: TestProblem | null;
  error: TestProblem | null;
}

export interface TestProblem {
  message: string;
  type: string;
  text: string;
}
