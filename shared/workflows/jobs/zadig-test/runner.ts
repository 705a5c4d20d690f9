import { isEmptyReport } from "../../pods/rules/reports/mergeReports.ts";
import type { TestReport } from "../../pods/rules/reports/testReport.ts";
import { putTestReport } from "../../pods/store/testReports.ts";
import { containerRunner } from "../container/containerRunner.ts";
import { archived, archiveStep, scriptStep } from "../container/scriptStep.ts";
import type { JobRun } from "../runner.ts";
import type { TestRun } from "./planner.ts";

/** Runs a test: its script, and whatever it ended with, what it reports (contract W 13.4). */
export const runner = containerRunner({
  content: async (jobRun) => {
    const run = runOf(jobRun);
    return {
      steps: [...scriptStep(run), ...archiveStep(jobRun, filesOf(run), { always: true, required: false })],
      ...(run.reportDirectory !== "" && { reportDirectory: run.reportDirectory }),
    };
  },
  passRate: (jobRun) => runOf(jobRun).passRate,
  conclude: async (jobRun, end, { report }) => {
    const hasReport = report !== undefined && !isEmptyReport(report);
    if (hasReport) await putTestReport(jobRun.job, report);
    const { reportDirectory, archivePaths, htmlReportPath } = runOf(jobRun);
    const configured = {
      junit_report: reportDirectory !== "",
      archive: archivePaths.length > 0,
      html_report: htmlReportPath !== "",
    };
    return { ...end, result: { ...configured, ...(hasReport && numbersOf(report)) } };
  },
});

function runOf({ run }: JobRun): TestRun {
  return run as unknown as TestRun;
}

/** Kept after a failure too, where there are any: they show what went wrong. */
function filesOf({ htmlReportPath, archivePaths }: TestRun): { path: string; name: string }[] {
  const html = htmlReportPath === "" ? [] : [{ path: htmlReportPath, name: `html/${htmlReportPath}` }];
  return [...html, ...archived(archivePaths)];
}

function numbersOf(report: TestReport): Record<string, number> {
  return {
    test_case_num: report.testCaseNum,
    success_case_num: report.successCaseNum,
    failed_case_num: report.failedCaseNum,
    error_case_num: report.errorCaseNum,
    skip_case_num: report.skipCaseNum,
    test_time: report.testTime,
  };
}
