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
          for (const secret of secrets)
            if (secret.trim() !== "" && [...secret].length > 3) expect(all).not.toContain(secret);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("hides the longest of secrets that begin at one place, and each line of one with several", () => {
    expect(maskedText("abcdefgh abcdefg abcdef", ["abcdef", "abcdefgh"])).toBe(`${maskText} ${maskText}g ${maskText}`);
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

  test("hides a secret of fewer than four characters as a word alone", () => {
    const secrets = ["ab", "$$", "é"];
    expect(maskedText("ab cab abc user:ab@host x=ab", secrets)).toBe(
      `${maskText} cab abc user:${maskText}@host x=${maskText}`,
    );
    expect(maskedText("a$$b é été", secrets)).toBe(`a${maskText}b ${maskText} été`);
    expect(maskedText("YWI= YWI xYWIx", secrets)).toBe(`${maskText} ${maskText} xYWIx`);
    for (let cut = 0; cut <= 8; cut++) {
      expect(inPieces(Buffer.from("ab abc ab"), [cut], secrets).all).toBe(`${maskText} abc ${maskText}`);
      expect(inPieces(Buffer.from("cabx ab-"), [cut], secrets).all).toBe(`cabx ${maskText}-`);
    }
  });

  const secret = `p@ss/w"rd <ü> & 'it'?+`;
  const encodings: Record<string, string> = {
    JSON: JSON.stringify({ a: secret }),
    "JSON of Python": `{"a": "${JSON.stringify(secret).slice(1, -1).replace("ü", "\\u00fc")}"}`,
    "JSON of Go": JSON.stringify(secret).replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
    "JSON of PHP": JSON.stringify(secret).replaceAll("/", "\\/"),
    "an address": `https://example.com/?a=${encodeURIComponent(secret)}&b`,
    "an address in small letters": encodeURIComponent(secret).replace(/%../g, (digits) => digits.toLowerCase()),
    "a path of Python": encodeURIComponent(secret).replaceAll("%2F", "/").replaceAll("'", "%27"),
    "a form": new URLSearchParams({ a: secret }).toString().replaceAll("*", "%2A"),
    base64: Buffer.from(secret).toString("base64"),
    "base64 for addresses": Buffer.from(secret).toString("base64url"),
    "base64 behind one byte": Buffer.from(`:${secret}`).toString("base64"),
    "base64 behind a name": Buffer.from(`ada:${secret}`).toString("base64"),
    "base64 behind a longer name": Buffer.from(`adas:${secret}\nand more`).toString("base64"),
  };

  test.for(Object.entries(encodings))("hides a secret in %s", ([, text]) => {
    const shown = maskedText(`before ${text} behind`, [secret]);
    expect(shown).toContain(maskText);
    // Of base64 what it shares with its neighbours is left: less than a byte of it.
    const rest = shown.replace(maskText, "").replace(/^before | behind$/g, "");
    for (const part of [secret.slice(0, 6), encodeURIComponent(secret).slice(0, 9), secret.slice(-5)])
      expect(rest).not.toContain(part);
    expect(rest.length).toBeLessThan(36);
    for (let cut = 0; cut < text.length; cut += 3)
      expect(inPieces(Buffer.from(`before ${text} behind`), [cut, cut + 1], [secret]).all).toBe(shown);
  });

  test("hides base64 of a long secret, also broken into lines", () => {
    const key = Array.from({ length: 20 }, (_, at) => `line ${at} of a private key`).join("\n");
    for (const width of [76, 64, 10_000]) {
      const encoded = Buffer.from(key).toString("base64");
      const lines = encoded.match(new RegExp(`.{1,${width}}`, "g")) ?? [];
      const shown = lines.map((line) => maskedText(line, [key]));
      expect(shown).toEqual(lines.map(() => maskText));
    }
    expect(maskedText(JSON.stringify(key), [key])).toBe(`"${maskText}"`);
    expect(maskedText("x line 7 of a private key", [key])).toBe(`x ${maskText}`);
  });

  test("holds base64 and addresses of no secret, whatever is around it and wherever it is cut", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "/", "+", "é", " ", '"', "%"), minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(
        text,
        fc.string({ maxLength: 5 }),
        fc.string({ maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        (one, a, b, cuts) => {
          fc.pre(one.trim() !== "");
          const printed = [
            Buffer.from(a + one + b).toString("base64"),
            encodeURIComponent(one),
            JSON.stringify(a + one + b),
          ];
          const { all } = inPieces(Buffer.from(printed.join(" | ")), cuts, [one]);
          expect(all.split(" | ").filter((part) => !part.includes(maskText))).toEqual([]);
          expect(all).toBe(maskedText(printed.join(" | "), [one]));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("is read quickly, however many secrets there are", () => {
    const secrets = Array.from({ length: 200 }, (_, at) => `${(at * 7919).toString(36)}#secret`.repeat(5));
    const line = Buffer.from(`${"an ordinary line of a log, secret or not, with number 7".repeat(20)}\n`);
    const masker = createMasker(secrets);
    const started = performance.now();
    for (let at = 0; at < 4000; at++) masker.push(line);
    // Four megabytes, in less than a second on an idle machine.
    const took = performance.now() - started;
    console.log(took);
    expect(took).toBeLessThan(10_000);
  });

  test("is left as it is where there are none", () => {
    expect(maskedText("text", ["", " \n "])).toBe("text");
  });
});
