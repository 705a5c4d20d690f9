import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMasker, maskedText, maskText } from "../../../../../shared/workflows/pods/rules/masker.ts";

function inPieces(text: Buffer, cuts: readonly number[], secrets: readonly string[]): { all: string; shown: number[] } {
  const masker = createMasker(secrets);
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  const parts = places.slice(1).map((end, at) => masker.push(text.subarray(places[at], end)));
  return { all: Buffer.concat([...parts, masker.flush()]).toString("utf8"), shown: parts.map(({ length }) => length) };
}

/** Few letters, so that secrets overlap with themselves, each other and what stands around them. */
const letters = fc.string({ unit: fc.constantFrom("a", "b", "é", "\n"), minLength: 1, maxLength: 6 });

describe("a masked log", () => {
  test("holds no secret, whatever chunks it comes in, and is the same in all of them", () => {
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 4 }),
        fc.array(letters, { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (secrets, texts, cuts) => {
          const text = texts.join("");
          const { all } = inPieces(Buffer.from(text), cuts, secrets);
          expect(all).toBe(maskedText(text, secrets));
          for (const secret of secrets) if (secret.trim() !== "") expect(all).not.toContain(secret);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("hides the longest of secrets that begin at one place, and each line of one with several", () => {
    expect(maskedText("abcd abc ab", ["ab", "abcd"])).toBe(`${maskText} ${maskText}c ${maskText}`);
    expect(maskedText("x\n line two \ny", ["line one\nline two\n"])).toBe(`x\n ${maskText} \ny`);
  });

  test("shows at once what cannot become a secret", () => {
    const { shown } = inPieces(Buffer.from("a line\nanother s"), [7], ["secret"]);
    expect(shown).toEqual([7, 8]);
    const masker = createMasker(["(.*)+$", "[a-z]\\d"]);
    expect(Buffer.from(masker.push(Buffer.from("plain (.*)+$ [a-z]\\d"))).toString()).toBe(
      `plain ${maskText} ${maskText}`,
    );
  });

  test("is left as it is where there are none", () => {
    expect(maskedText("text", ["", " \n "])).toBe("text");
  });
});
