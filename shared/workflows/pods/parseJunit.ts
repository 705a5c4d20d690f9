import { XMLParser } from "fast-xml-parser";
import type { TestSuite } from "./rules/mergeReports.ts";
import type { TestCase, TestProblem } from "./rules/testReport.ts";

/** Entities are off: whoever writes a report defines none. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  trimValues: false,
  isArray: (name, _path, _leaf, isAttribute) => !isAttribute && !["testsuites", "#text"].includes(name),
});

type Element = { [name: string]: unknown };

/**
 * The suites of one JUnit file, those inside others too (contract W 13.4).
 * @throws Error for a text that is no XML
 */
export function parseJunit(text: string): TestSuite[] {
  const document: unknown = parser.parse(text);
  return suitesIn(document);
}

function suitesIn(element: unknown): TestSuite[] {
  if (!isElement(element)) return [];
  const own = childrenOf(element, "testsuite").flatMap((suite) => [suiteOf(suite), ...suitesIn(suite)]);
  return [...own, ...childrenOf(element, "testsuites").flatMap(suitesIn)];
}

function suiteOf(suite: Element): TestSuite {
  const elements = childrenOf(suite, "testcase");
  const cases = elements.map(caseOf);
  const counted = (attribute: string, of: () => number): number => {
    const given = textOf(suite, attribute);
    // A suite of suites sums up what its parts say for themselves.
    if (given === "" || childrenOf(suite, "testsuite").length > 0) return of();
    return numberOf(given);
  };
  const times = () => cases.reduce((total, { time }) => total + time, 0);
  return {
    tests: counted("tests", () => cases.length),
    failures: counted("failures", () => cases.filter(({ failure }) => failure !== null).length),
    errors: counted("errors", () => cases.filter(({ error }) => error !== null).length),
    skipped: counted("skipped", () => elements.filter((element) => element.skipped !== undefined).length),
    time: counted("time", times),
    cases,
  };
}

function caseOf(element: Element): TestCase {
  return {
    name: textOf(element, "name"),
    time: numberOf(textOf(element, "time")),
    failure: problemOf(element, "failure"),
    error: problemOf(element, "error"),
  };
}

function problemOf(element: Element, name: string): TestProblem | null {
  const found: unknown = Array.isArray(element[name]) ? element[name][0] : undefined;
  if (found === undefined) return null;
  if (!isElement(found)) return { message: "", type: "", text: decoded(String(found)) };
  const text = found["#text"];
  return {
    message: textOf(found, "message"),
    type: textOf(found, "type"),
    text: typeof text === "string" ? decoded(text) : "",
  };
}

function childrenOf(element: Element, name: string): Element[] {
  return [element[name]].flat().filter(isElement);
}

function textOf(element: Element, attribute: string): string {
  const value = element[`@${attribute}`];
  return typeof value === "string" ? decoded(value) : "";
}

/** Some write thousands with commas. */
function numberOf(text: string): number {
  const number = Number(text.replaceAll(",", ""));
  return Number.isFinite(number) && number >= 0 ? number : 0;
}

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** The five entities that XML itself has, and characters by their numbers. */
function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|quot|apos|amp));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function isElement(value: unknown): value is Element {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
