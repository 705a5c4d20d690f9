import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../../../shared/base/store/ids.ts";
import type { TestCase, TestReport } from "../../../../../shared/workflows/pods/rules/reports/testReport.ts";
import { findTestReport, putTestReport } from "../../../../../shared/workflows/pods/store/testReports.ts";
import { type Slipway, startSlipway } from "../../../../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const numbers = { testCaseNum: 3, successCaseNum: 1, failedCaseNum: 1, errorCaseNum: 0, skipCaseNum: 1, testTime: 1.5 };
const passing = (name: string): TestCase => ({ name, time: 0.25, failure: null, error: null });
const failing = (name: string, text: string): TestCase => ({
  ...passing(name),
  failure: { message: `${name} is wrong`, type: "Wrong", text },
});

describe("the report of a test", () => {
  test("comes back as it was kept, and never for another try of the job", async () => {
    const job = { jobId: newId(), retryCount: 0 };
    expect(await findTestReport(job)).toBeUndefined();
    const report: TestReport = { ...numbers, testCases: [passing("a"), failing("b", "at b")] };
    await putTestReport(job, report);
    expect(await findTestReport(job)).toEqual(report);
    expect(await findTestReport({ ...job, retryCount: 1 })).toBeUndefined();
  });

  test("holds far more than an item of the table does", async () => {
    const job = { jobId: newId(), retryCount: 0 };
    const testCases = Array.from({ length: 10_000 }, (_, at) => passing(`case ${at} ${newId()}`));
    await putTestReport(job, { ...numbers, testCaseNum: 10_000, testCases });
    const found = await findTestReport(job);
    expect(found?.testCases).toEqual(testCases);
    expect(JSON.stringify(found).length).toBeGreaterThan(400 * 1024);
  });

  test("that is too large is cut: long texts at their end, and cases that passed before those that failed", async () => {
    const job = { jobId: newId(), retryCount: 0 };
    const many = Array.from({ length: 60_000 }, (_, at) => passing(`case ${at} ${newId()}`));
    const testCases = [...many, failing("last", "x".repeat(100_000))];
    await putTestReport(job, { ...numbers, testCaseNum: 60_001, testCases });
    const found = await findTestReport(job);
    expect(found?.testCaseNum).toBe(60_001);
    expect(found?.testCases[0]?.name).toBe(many[0]?.name);
    expect(found?.testCases.at(-1)?.failure?.text).toBe(`${"x".repeat(16 * 1024)}…`);
    expect(JSON.stringify(found?.testCases).length).toBeLessThanOrEqual(4 * 1024 * 1024);
  });
});
