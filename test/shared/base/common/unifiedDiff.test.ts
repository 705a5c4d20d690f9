import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../../../shared/base/common/unifiedDiff.ts";

const names = { before: "a", after: "b" };

/** What patch(1) makes of a text: every line that the difference names must be where it says. */
function patched(text: string, diff: string): string {
  const before = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const after: string[] = [];
  let at = 0;
  for (const line of diff.split("\n").slice(2, -1)) {
    const range = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(line);
    if (range !== null) {
      const start = Number(range[1]) - (range[2] === "0" ? 0 : 1);
      after.push(...before.slice(at, start));
      at = start;
      continue;
    }
    if (line.startsWith("+")) after.push(line.slice(1));
    else {
      expect(before[at]).toBe(line.slice(1));
      if (line.startsWith(" ")) after.push(line.slice(1));
      at += 1;
    }
  }
  after.push(...before.slice(at));
  return after.map((line) => `${line}\n`).join("");
}

const text = fc
  .array(fc.constantFrom("a", "b", "c", "d: 1", "  e"), { maxLength: 40 })
  .map((lines) => lines.map((line) => `${line}\n`).join(""));

describe("a unified diff", () => {
  test("turns the one text into the other", () => {
    fc.assert(fc.property(text, text, (a, b) => patched(a, unifiedDiff(a, b, names) || "\n\n") === b || a === b));
  });

  test("of equal texts is empty", () => {
    expect(unifiedDiff("a\nb\n", "a\nb\n", names)).toBe("");
  });

  test("has three lines around each change and the ranges of diff(1)", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `${index + 1}`);
    const changed = lines.map((line) => (line === "10" ? "ten" : line));
    expect(unifiedDiff(`${lines.join("\n")}\n`, `${changed.join("\n")}\n`, names)).toBe(
      "--- a\n+++ b\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n",
    );
    expect(unifiedDiff("", "x\n", names)).toBe("--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
    expect(unifiedDiff("x\n", "", names)).toBe("--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
  });

  test("of texts that have nothing in common ends, whatever their length", () => {
    const of = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join("");
    const [a, b] = [of("a"), of("b")];
    expect(patched(a, unifiedDiff(a, b, names))).toBe(b);
  });
});
