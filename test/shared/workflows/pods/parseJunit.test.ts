import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJunit } from "../../../../shared/workflows/pods/parseJunit.ts";
import { mergeReports, reportProblem } from "../../../../shared/workflows/pods/rules/mergeReports.ts";

const counts = (text: string) => {
  const { testCases: _, ...numbers } = mergeReports(parseJunit(text));
  return Object.values(numbers);
};

describe("a JUnit report", () => {
  test("counts what its suites say, and its cases where they say nothing", () => {
    const said =
      '<testsuite tests="9" failures="2" errors="1" skipped="3" time="1,200.5"><testcase name="a"/></testsuite>';
    expect(counts(said)).toEqual([9, 3, 2, 1, 3, 1200.5]);
    const silent =
      '<testsuite><testcase time="1"/><testcase time="2"><skipped/></testcase><testcase><error/></testcase><testcase><failure/></testcase></testsuite>';
    expect(counts(`<?xml version="1.0"?><testsuites tests="77">${silent}${silent}</testsuites>`)).toEqual([
      8, 2, 2, 2, 2, 6,
    ]);
  });

  test("counts suites inside suites once", () => {
    const inner =
      '<testsuite tests="2" failures="1"><testcase name="x"/><testcase name="y"><failure/></testcase></testsuite>';
    expect(counts(`<testsuite tests="2" failures="1">${inner}</testsuite>`)).toEqual([2, 1, 1, 0, 0, 0]);
  });

  test("keeps name, time, message, type and text of what went wrong", () => {
    const text =
      '<testsuite><testcase name="&quot;a&#38;b&quot;" classname="c" time="0.25"><error message="m&#x41;" type="T">line 1\nline &gt; 2</error></testcase></testsuite>';
    expect(parseJunit(text)[0]?.cases).toEqual([
      { name: '"a&b"', time: 0.25, failure: null, error: { message: "mA", type: "T", text: "line 1\nline > 2" } },
    ]);
  });

  test("expands no entity and reads no file", () => {
    const suite = '<testsuite><testcase name="&a;"/></testsuite>';
    const own = `<!DOCTYPE b [<!ENTITY a "${"x".repeat(50)}">]>${suite}`;
    expect(parseJunit(own)[0]?.cases[0]?.name).toBe("&a;");
    expect(() => parseJunit(`<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]>${suite}`)).toThrow("External");
  });

  test("is a report or an error, whatever the text", () => {
    const pieces = [
      "<testsuite",
      ' tests="',
      "-1",
      '"',
      ">",
      "</testsuite>",
      "<testcase/>",
      "&",
      "]]>",
      "<![CDATA[",
      "\0",
      "é",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces)), (parts) => {
        try {
          const report = mergeReports(parseJunit(parts.join("")));
          expect(report.testCaseNum).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(report.testTime)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });

  test("fails its job without a case, and below the required rate, rounded", () => {
    const rate = (success: number, all: number, required: number) =>
      reportProblem({ ...mergeReports([]), testCaseNum: all, successCaseNum: success }, required);
    expect(rate(0, 0, 0)).toBe("the test report holds no test case");
    expect(rate(199, 200, 100)).toBeUndefined();
    expect(rate(198, 200, 100)).toContain("the pass rate of 99 % is below the required 100 %");
  });
});
