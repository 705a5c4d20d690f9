import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJunit } from "../../../../shared/workflows/pods/readReport.ts";
import { mergeReports, reportProblem } from "../../../../shared/workflows/pods/rules/reports/mergeReports.ts";
import cases from "./junit/cases/expected.json" with { type: "json" };

const file = (path: string) => readFileSync(new URL(`junit/${path}`, import.meta.url));
const read = (text: string) => readJunit(Buffer.from(text));
const numbersOf = ({ testCases: _, ...numbers }: ReturnType<typeof readJunit>) => Object.values(numbers);
/** All cases, those that succeeded, failures, errors, skipped ones, seconds. */
const counts = (text: string) => numbersOf(read(text));

describe("a JUnit report", () => {
  test.for(Object.entries(cases.files))("says of %s what its file does", ([name, expected]) => {
    const found = () => readJunit(file(`cases/${name}`));
    if (expected.cases === null) return expect(found).toThrow("unclosed tag");
    const report = found();
    const { testCaseNum, failedCaseNum, errorCaseNum, skipCaseNum } = report;
    expect([testCaseNum, failedCaseNum, errorCaseNum, skipCaseNum]).toEqual([
      ...[expected.cases, expected.failures, expected.errors, expected.skipped],
    ]);
    expect(reportProblem(report, 100) === undefined).toBe(expected.passes);
    if ("names" in expected) expect(report.testCases.map((one) => one.name)).toEqual(expected.names);
  });

  test.for([
    ["behave", 4, 1, 1, 1, 1],
    // Two that were expected to fail are skipped.
    ["catch2", 7, 2, 2, 1, 2],
    ["ctest", 5, 1, 1, 0, 3],
    ["go-junit-report", 7, 2, 3, 1, 1],
    ["googletest", 4, 1, 1, 0, 2],
    ["gotestsum", 7, 2, 4, 0, 1],
    // The one that is to be written is not marked as such.
    ["jest", 5, 3, 1, 0, 1],
    ["mocha-xunit", 5, 1, 2, 0, 2],
    ["node", 7, 3, 2, 0, 2],
    // Its converter writes an error as a failure, and counts a warning as an error in the header alone.
    ["nunit", 6, 3, 2, 0, 1],
    // One that is incomplete is skipped.
    ["phpunit", 7, 2, 2, 1, 2],
    ["playwright", 5, 2, 1, 0, 2],
    ["pytest", 8, 3, 1, 2, 2],
    ["pytest-collection", 1, 0, 0, 1, 0],
    ["robot", 3, 1, 1, 0, 1],
    ["surefire", 2, 1, 0, 1, 0],
    ["surefire-nested", 7, 2, 3, 1, 1],
    ["unittest-xml", 6, 1, 2, 1, 2],
    ["vitest", 6, 2, 2, 0, 2],
  ] as const)("of %s is read as it is meant", ([name, ...numbers]) => {
    expect(numbersOf(readJunit(file(`producers/${name}.xml`))).slice(0, 5)).toEqual(numbers);
  });

  test("counts the header of a suite that has no case, beside suites that have some", () => {
    const unloaded = '<testsuite name="b" tests="0" errors="2"/>';
    expect(counts(`<testsuites><testsuite tests="7"><testcase time="1"/></testsuite>${unloaded}</testsuites>`)).toEqual(
      [...[1, 0, 0, 2, 0, 1]],
    );
    expect(reportProblem(read(unloaded), 0)).toBe("the test report holds no test case, and 2 failures");
    const parts = '<testsuite tests="2" failures="1"/><testsuite tests="3" skipped="1" disabled="1" time="1,200.5"/>';
    expect(counts(`<testsuites tests="99">${parts}</testsuites>`)).toEqual([5, 2, 1, 0, 2, 1200.5]);
    expect(counts('<testsuites tests="6" failures="1"><testsuite name="x"/></testsuites>')).toEqual([6, 5, 1, 0, 0, 0]);
  });

  test("counts cases at any depth and under any prefix, once", () => {
    const nested = "<testsuite><testcase><testcase><failure/><failure/></testcase></testcase></testsuite>";
    expect(counts(`<r><group>${nested}</group><testcase/></r>`)).toEqual([3, 2, 1, 0, 0, 0]);
    expect(counts('<j:testsuite xmlns:j="urn:j"><j:testcase><j:error/></j:testcase></j:testsuite>')).toEqual([
      ...[1, 0, 0, 1, 0, 0],
    ]);
  });

  test("counts what went wrong in a suite itself as a case of its name", () => {
    const report = read('<testsuite name="shop" tests="0"><error message="no database"/></testsuite>');
    expect(numbersOf(report)).toEqual([1, 0, 0, 1, 0, 0]);
    expect(report.testCases[0]).toMatchObject({ name: "shop", error: { message: "no database" } });
  });

  test("takes a case for skipped by an element or a word, unless it has an error", () => {
    const inside = (inner: string, more = "") => counts(`<testcase ${more}>${inner}</testcase>`).slice(0, 5);
    const skipped = [1, 0, 0, 0, 1];
    expect(inside("<disabled/>")).toEqual(skipped);
    expect(inside('<skipped type="todo"/><failure/>')).toEqual(skipped);
    expect(inside("", 'status="disabled"')).toEqual(skipped);
    expect(inside("", 'status="notrun" result="suppressed"')).toEqual(skipped);
    expect(inside("<skipped/><error/>")).toEqual([1, 0, 0, 1, 0]);
    expect(inside("<skipped/>", 'status="run"')).toEqual(skipped);
  });

  test("keeps name, time, message, type and text of what went wrong", () => {
    const text =
      '<testsuite><testcase name="&quot;a&#38;b&quot;" classname="c" time="0.25"><error message="m&#x41;&#27;" type="T">line 1\nline &gt; \u001b[31m<![CDATA[<2>]]></error></testcase></testsuite>';
    expect(read(text).testCases).toEqual([
      {
        name: '"a&b"',
        time: 0.25,
        failure: null,
        error: { message: "mA\ufffd", type: "T", text: "line 1\nline > \ufffd[31m<2>" },
      },
    ]);
  });

  test("is read in the encoding that its file has", () => {
    const text = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><testsuite><testcase name="Größe 密"><failure/></testcase></testsuite>`;
    const little = Buffer.from(`\ufeff${text("UTF-16")}`, "utf16le");
    const nameOf = (bytes: Buffer) => readJunit(bytes).testCases[0]?.name;
    expect(nameOf(little)).toBe("Größe 密");
    expect(nameOf(Buffer.from(little).swap16())).toBe("Größe 密");
    expect(nameOf(little.subarray(2))).toBe("Größe 密");
    expect(nameOf(Buffer.from(little.subarray(2)).swap16())).toBe("Größe 密");
    // It says UTF-16, and is not.
    expect(nameOf(Buffer.from(text("utf-16")))).toBe("Größe 密");
    expect(nameOf(Buffer.from(text("iso-8859-1").replace("密", ""), "latin1"))).toBe("Größe ");
    const shiftJis = Buffer.concat([
      Buffer.from("<?xml version='1.0' encoding='Shift_JIS'?><testsuite><testcase name='"),
      Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]),
      Buffer.from("'/></testsuite>"),
    ]);
    expect(nameOf(shiftJis)).toBe("テスト");
    expect(() => readJunit(Buffer.from(text("klingon")))).toThrow('its encoding "klingon" is not known');
  });

  test.for([
    ["", "document must contain a root element"],
    ["<testsuite><testcase/><!-- and then", "unclosed tag"],
    ["<testsuite><testcase><failure><![CDATA[and then", "unclosed tag"],
    ["<testsuite/><testsuite/>", "only one root"],
    ["<testsuite><testcase></testsuite>", "unexpected close tag"],
    ['<testsuite><testcase name="a" name="b"/></testsuite>', "duplicate attribute"],
    ["tests: 3, failures: 0", "text data outside of root"],
    ["<testsuite/>\n<testsui", "unexpected end"],
  ] as const)("is no XML, and none: %j", ([text, why]) => {
    expect(() => read(text)).toThrow(why);
  });

  test("expands no entity and reads no file", () => {
    const suite = '<testsuite><testcase name="&a;"/></testsuite>';
    for (const entity of [`"${"x".repeat(50)}"`, 'SYSTEM "file:///etc/passwd"'])
      expect(() => read(`<!DOCTYPE b [<!ENTITY a ${entity}>]>${suite}`)).toThrow("undefined entity");
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
          const report = read(parts.join(""));
          expect(report.testCaseNum).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(report.testTime)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });

  test("has as many cases as were written, and is none once a piece of its end is gone", () => {
    const problem = fc.constantFrom("", "<failure>a &lt; b</failure>", "<error/>", "<skipped/>", "<flakyFailure/>");
    const tree = fc.letrec<{ suite: string }>((tie) => ({
      suite: fc
        .array(fc.oneof({ weight: 3, arbitrary: problem.map((one) => `<testcase>${one}</testcase>`) }, tie("suite")), {
          maxLength: 5,
        })
        .map((inner) => `<testsuite tests="${inner.length + 7}"><testcase/>${inner.join("")}</testsuite>`),
    })).suite;
    const occurrences = (text: string, part: string) => text.split(part).length - 1;
    fc.assert(
      fc.property(tree, fc.nat(), (text, at) => {
        const { testCaseNum, failedCaseNum, errorCaseNum, skipCaseNum } = read(text);
        expect([testCaseNum, failedCaseNum, errorCaseNum, skipCaseNum]).toEqual(
          ["<testcase", "<failure", "<error", "<skipped"].map((part) => occurrences(text, part)),
        );
        expect(() => read(text.slice(0, at % text.length))).toThrow();
      }),
    );
  });
});

describe("the verdict on a report", () => {
  const verdict = (all: number, failed: number, skipped: number, required: number) =>
    reportProblem({ ...mergeReports([]), testCaseNum: all, failedCaseNum: failed, skipCaseNum: skipped }, required);

  test("is against one without a case, and one below the required rate", () => {
    expect(verdict(0, 0, 0, 0)).toBe("the test report holds no test case");
    expect(verdict(200, 0, 0, 100)).toBeUndefined();
    expect(verdict(200, 0, 200, 100)).toBeUndefined();
    expect(verdict(10, 1, 4, 90)).toBeUndefined();
    expect(verdict(10, 1, 0, 91)).toBe("1 of 10 test cases failed: the pass rate of 90 % is below the required 91 %");
  });

  test("rounds nothing", () => {
    expect(verdict(250, 1, 0, 100)).toContain("the pass rate of 99.6 % is below the required 100 %");
    expect(verdict(100_000, 1, 0, 100)).toContain("the pass rate of 99.99 % is below");
    expect(verdict(3, 1, 0, 67)).toContain("the pass rate of 66.66 % is below");
    expect(verdict(3, 1, 0, 66)).toBeUndefined();
  });
});
