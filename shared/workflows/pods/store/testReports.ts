import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite } from "../../../base/store/writes.ts";
import { tryName } from "../../records/rules/tryName.ts";
import type { JobRecord } from "../../records/task.ts";
import { keptReport } from "../rules/reports/keptReport.ts";
import type { TestReport } from "../rules/reports/testReport.ts";

/** A retry makes another job record, and an automatic one counts: so a report is never that of an earlier try. */
type Try = Pick<JobRecord, "jobId" | "retryCount">;

/** The record of contract W 13.4; its cases are in the object store where they are many. */
interface StoredReport extends Omit<TestReport, "testCases"> {
  testCases: StoredText;
}

/** Keeps the report of one try of a job, in the form of `keptReport`. */
export async function putTestReport(job: Try, report: TestReport): Promise<void> {
  const { testCases, ...numbers } = keptReport(report);
  const stored: StoredReport = { ...numbers, testCases: await storeText(JSON.stringify(testCases)) };
  await table().write(overwrite({ ...keyOf(job), type: "test-report", ...stored }));
}

/** The report of a job as it ran last; undefined while there is none, and when it brought none. */
export async function findTestReport(job: Try): Promise<TestReport | undefined> {
  const stored = await table().get<StoredReport>(keyOf(job));
  if (stored === undefined) return undefined;
  const { testCaseNum, successCaseNum, failedCaseNum, errorCaseNum, skipCaseNum, testTime, testCases } = stored;
  return {
    ...{ testCaseNum, successCaseNum, failedCaseNum, errorCaseNum, skipCaseNum, testTime },
    testCases: JSON.parse(await readStoredText(testCases)),
  };
}

function keyOf(job: Try) {
  return keys.testReport(tryName(job));
}
