import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findDocuments, joinDocuments, splitDocuments } from "../../../../shared/manifest/edit/documents.ts";

describe("manifest text is split at lines that begin with --- (contract P 11.8)", () => {
  it.each([
    ["leaves out empty documents", "---\n\n---\na: 1\n---\n# only a comment\n---\n", ["a: 1\n"]],
    ["takes CRLF as LF", "a: 1\r\n---\r\nb: 2\r\n", ["a: 1\n", "b: 2\n"]],
    ["keeps what follows on the marker's line", "--- # first\na: 1\n--- {b: 2}\n", [" # first\na: 1\n", " {b: 2}\n"]],
    [
      "does not take longer dashes or indented ones for a marker",
      "a: |\n  ---\n  x\nb: ----\n",
      ["a: |\n  ---\n  x\nb: ----\n"],
    ],
    ["does not take other line separators for one", "a: 'x\u2028---\u2028y'\n", ["a: 'x\u2028---\u2028y'\n"]],
    ["leaves out a directive", "%YAML 1.2\n---\na: 1\n", ["a: 1\n"]],
    ["keeps the lines at the end of a block", "a: |+\n  x\n\n---\nb: 1", ["a: |+\n  x\n\n", "b: 1"]],
    ["finds nothing in nothing", "", []],
  ])("%s", (_, text, documents) => {
    expect(splitDocuments(text)).toEqual(documents);
  });

  it("gives the same documents after joining them", () => {
    const part = fc.constantFrom(
      "a: 1\n",
      "---",
      "--- ",
      "\n",
      "\r\n",
      "# c\n",
      "x",
      " ",
      "...\n",
      "b: |\n  y\n",
      "--- # c\n",
      "%Y\n",
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const documents = splitDocuments(parts.join("")).map((text) => (text.endsWith("\n") ? text : `${text}\n`));
        expect(splitDocuments(joinDocuments(documents))).toEqual(documents);
      }),
      { numRuns: 2000 },
    );
  });

  it("tells where each document stands", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a: 1\n", "---\n", "\n", "--- # c\n", "x\n", "  \n")), (parts) => {
        const whole = parts.join("");
        for (const { text, start, line } of findDocuments(whole)) {
          expect(whole.slice(start, start + text.length)).toBe(text);
          expect(line).toBe(whole.slice(0, start).split("\n").length);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
