import type { TestCase, TestProblem, TestReport } from "./testReport.ts";

/** An element that was opened: its name without a prefix, and its attributes. */
export interface OpenedElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
}

type Counts = Record<"tests" | "failures" | "errors" | "skipped" | "time", number>;

const nothing: Readonly<Counts> = { tests: 0, failures: 0, errors: 0, skipped: 0, time: 0 };

const added = (a: Counts, b: Counts): Counts => ({
  tests: a.tests + b.tests,
  failures: a.failures + b.failures,
  errors: a.errors + b.errors,
  skipped: a.skipped + b.skipped,
  time: a.time + b.time,
});

/** A suite, or all of a file, while it is read. */
interface Suite {
  attributes: OpenedElement["attributes"];
  /** Of its own cases. */
  own: Counts;
  /** Of the suites in it, or of what their headers say. */
  parts: Counts;
  hasCases: boolean;
  hasSuites: boolean;
  /** Whether a suite in it says how many tests it has. */
  partsCount: boolean;
}

const newSuite = (attributes: Suite["attributes"]): Suite => ({
  ...{ attributes, own: nothing, parts: nothing },
  ...{ hasCases: false, hasSuites: false, partsCount: false },
});

interface Case extends TestCase {
  isSkipped: boolean;
}

/** What says of a case by its name, within it, that it did not run. */
const skippedElements = new Set(["skipped", "disabled", "ignored"]);
/** The same in its `status` (CTest, Ant) or `result` (GoogleTest). */
const skippedWords = new Set(["skipped", "disabled", "ignored", "suppressed", "notrun", "pending"]);

type Frame =
  | { kind: "suite"; suite: Suite }
  | { kind: "case"; found: Case }
  | { kind: "problem"; problem: TestProblem }
  | { kind: "other" };

/**
 * What one JUnit file reports, from its elements in their order (contract W 13.4): cases wherever they are; of a suite
 * that has none in it, the numbers of its header; and what went wrong in a suite itself as a case with its name.
 */
export class JunitTree {
  readonly #file = newSuite({});
  readonly #frames: Frame[] = [{ kind: "suite", suite: this.#file }];
  /** Those that are open, from the outside. */
  readonly #suites: Suite[] = [this.#file];
  readonly #cases: TestCase[] = [];

  open({ name, attributes }: OpenedElement): void {
    const frame = this.#frameOf(name, attributes);
    this.#frames.push(frame);
    if (frame.kind === "suite") this.#suites.push(frame.suite);
  }

  text(text: string): void {
    const inner = this.#frames.at(-1);
    if (inner?.kind === "problem") inner.problem.text += text;
  }

  close(): void {
    const closed = this.#frames.pop();
    if (closed?.kind === "suite") {
      this.#suites.pop();
      endSuite(closed.suite, this.#suite());
    }
    if (closed?.kind === "case") this.#endCase(closed.found);
  }

  /** All of it, once each element is closed. */
  report(): TestReport {
    const { tests, failures, errors, skipped, time } = countsOf(this.#file);
    return {
      testCaseNum: tests,
      successCaseNum: Math.max(0, tests - failures - errors - skipped),
      ...{ failedCaseNum: failures, errorCaseNum: errors, skipCaseNum: skipped, testTime: time },
      testCases: this.#cases,
    };
  }

  #frameOf(name: string, attributes: Suite["attributes"]): Frame {
    const outer = this.#frames.at(-1);
    if (name === "testsuite" || name === "testsuites") return { kind: "suite", suite: newSuite(attributes) };
    if (name === "testcase") return { kind: "case", found: newCase(attributes) };
    if (outer?.kind === "case" && skippedElements.has(name)) outer.found.isSkipped = true;
    if (name !== "failure" && name !== "error") return { kind: "other" };
    const problem = { message: attributes.message ?? "", type: attributes.type ?? "", text: "" };
    if (outer?.kind === "case") outer.found[name] ??= problem;
    // A suite whose setup failed (as Jenkins counts it).
    else if (outer?.kind === "suite")
      this.#endCase({ ...newCase({ name: outer.suite.attributes.name ?? "" }), [name]: problem });
    else return { kind: "other" };
    return { kind: "problem", problem };
  }

  #endCase({ isSkipped, ...found }: Case): void {
    const { time, error } = found;
    // Node writes how a test that is still to be done went, and none of those has failed.
    const failure = isSkipped ? null : found.failure;
    const failures = failure === null ? 0 : 1;
    const errors = failure === null && error !== null ? 1 : 0;
    const skipped = isSkipped && error === null ? 1 : 0;
    const suite = this.#suite();
    suite.own = added(suite.own, { tests: 1, failures, errors, skipped, time });
    suite.hasCases = true;
    this.#cases.push({ ...found, failure });
  }

  /** The innermost one that is open. */
  #suite(): Suite {
    return this.#suites.at(-1) ?? this.#file;
  }
}

function newCase({ name = "", time = "", status = "", result = "" }: OpenedElement["attributes"]): Case {
  const isSkipped = [status, result].some((word) => skippedWords.has(word.toLowerCase()));
  return { name, time: numberOf(time), failure: null, error: null, isSkipped };
}

function endSuite(suite: Suite, outer: Suite): void {
  outer.parts = added(outer.parts, countsOf(suite));
  outer.hasSuites = true;
  outer.hasCases ||= suite.hasCases;
  outer.partsCount ||= suite.partsCount || suite.attributes.tests !== undefined;
}

function countsOf(suite: Suite): Counts {
  const { attributes, own, parts, hasCases, hasSuites, partsCount } = suite;
  const total = added(own, parts);
  const time = attributes.time === undefined || hasSuites ? total.time : numberOf(attributes.time);
  if (hasCases || partsCount) return { ...total, time };
  const { tests, failures, errors } = attributes;
  const skipped = attributes.skipped ?? attributes.skip ?? attributes.skips ?? attributes.ignored;
  return {
    ...{ tests: numberOf(tests), failures: numberOf(failures), errors: numberOf(errors), time },
    skipped: numberOf(skipped) + numberOf(attributes.disabled),
  };
}

/** Some write thousands with commas. */
function numberOf(text = ""): number {
  const number = Number(text.replaceAll(",", ""));
  return Number.isFinite(number) && number >= 0 ? number : 0;
}
