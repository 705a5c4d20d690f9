import { linesOf, type MaskForm, maskForms } from "./maskForms.ts";

/** Replaces a secret in a log. */
export const maskText = "******";

/** Replaces secrets in a stream of bytes, also when they are split over chunks. */
export interface Masker {
  /** What can be shown now; the beginning of what may become a secret is kept back. */
  push(chunk: Uint8Array): Uint8Array;
  /** What was kept back and did not become one. */
  flush(): Uint8Array;
}

/**
 * Masks texts in each form that they may be printed in (`maskForms`), and each line of texts of several lines; of those
 * that overlap the one that begins first, and the longest of those. Works on bytes, so that a character split over chunks
 * is none of its concern.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const forms = maskForms(secrets);
  if (forms.length === 0) return { push: (chunk) => chunk, flush: () => new Uint8Array() };
  const beginnings = beginningsOf(forms);
  const mask = Buffer.from(maskText);
  let kept = Buffer.alloc(0);
  /** Whether the byte before what is kept belongs to a word. */
  let wasWord = false;

  function masked(bytes: Buffer, isLast: boolean): Uint8Array {
    const parts: Uint8Array[] = [];
    let [done, at] = [0, 0];
    while (at < bytes.length) {
      // Most bytes begin nothing.
      if (at + 1 < bytes.length && beginnings.begin(bytes[at] ?? 0, bytes[at + 1] ?? 0) === 0) {
        at += 1;
        continue;
      }
      const end = endOf(bytes, at, { isLast, isAfterWord: at === 0 ? wasWord : isWordByte(bytes[at - 1]) });
      if (end === "open") break;
      if (end !== undefined) {
        parts.push(bytes.subarray(done, at), mask);
        done = end;
      }
      at = end ?? at + 1;
    }
    parts.push(bytes.subarray(done, at));
    if (at > 0) wasWord = isWordByte(bytes[at - 1]);
    kept = Buffer.from(bytes.subarray(at));
    return Buffer.concat(parts);
  }

  /** Where the longest form ends that begins here; "open" where what comes next decides. */
  function endOf(
    bytes: Buffer,
    from: number,
    { isLast, isAfterWord }: { isLast: boolean; isAfterWord: boolean },
  ): number | "open" | undefined {
    const rest = bytes.length - from;
    for (const { bytes: form, isWord } of beginnings.of(bytes[from] ?? 0, bytes[from + 1])) {
      const length = Math.min(form.length, rest);
      if (form.compare(bytes, from, from + length, 0, length) !== 0) continue;
      if (form.length > rest) {
        if (isLast) continue;
        return "open";
      }
      const end = from + form.length;
      if (!isWord) return end;
      if (isAfterWord && isWordByte(form[0])) continue;
      if (!isWordByte(form.at(-1))) return end;
      if (end === bytes.length && !isLast) return "open";
      if (!isWordByte(bytes[end])) return end;
    }
    return undefined;
  }

  return {
    push: (chunk) => masked(Buffer.concat([kept, chunk]), false),
    flush: () => {
      const rest = masked(kept, true);
      wasWord = false;
      return rest;
    },
  };
}

interface Beginnings {
  /** 0 where no form begins with these two bytes. */
  begin: (first: number, second: number) => number;
  /** The forms that begin with a byte, and the one after it where that is known already; the longest first. */
  of: (first: number, second: number | undefined) => readonly MaskForm[];
}

function beginningsOf(forms: readonly MaskForm[]): Beginnings {
  const longest = forms.toSorted((a, b) => b.bytes.length - a.bytes.length);
  const byFirst = Array.from({ length: 256 }, (_, byte) => longest.filter(({ bytes }) => bytes[0] === byte));
  const counts = new Uint32Array(65_536);
  for (const { bytes } of longest) {
    const [first = 0, second] = bytes;
    if (second === undefined) for (let byte = 0; byte < 256; byte++) counts[first * 256 + byte] = 1;
    else counts[first * 256 + second] = 1;
  }
  const byBoth = new Map<number, readonly MaskForm[]>();
  return {
    begin: (first, second) => counts[first * 256 + second] ?? 0,
    of: (first, second) => {
      const begin = byFirst[first] ?? [];
      if (second === undefined) return begin;
      const key = first * 256 + second;
      const known = byBoth.get(key) ?? begin.filter(({ bytes }) => bytes.length === 1 || bytes[1] === second);
      byBoth.set(key, known);
      return known;
    },
  };
}

/** A letter, a digit, an underscore, or a part of a character beyond ASCII. */
function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isLetter || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f || byte >= 0x80;
}

/** A text that is whole, with its secrets replaced. */
export function maskedText(text: string, secrets: readonly string[]): string {
  return textMasker(secrets)(text);
}

/** The same for many texts, each of them whole. */
export function textMasker(secrets: readonly string[]): (text: string) => string {
  const masker = createMasker(secrets);
  return (text) => Buffer.concat([masker.push(Buffer.from(text)), masker.flush()]).toString("utf8");
}

/** Lines of secrets of several lines that are too short to be masked wherever they are. */
export function shortLinesOf(secrets: readonly string[]): ReadonlySet<string> {
  return new Set(secrets.flatMap(linesOf).filter((line) => line.length <= longestShortLine));
}

export const longestShortLine = 3;

/** The text as a pattern that matches it alone. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
