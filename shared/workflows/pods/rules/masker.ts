/** What stands in a log where a secret was. */
export const maskText = "******";

/** Replaces secrets in a stream of bytes, also when they are split over chunks. */
export interface Masker {
  /** What can be shown now; the beginning of what may become a secret is kept back. */
  push(chunk: Uint8Array): Uint8Array;
  /** What was kept back and did not become one. */
  flush(): Uint8Array;
}

/**
 * Masks texts and each line of texts of several lines; of those that overlap the one that begins first, and the longest of
 * those. Works on bytes, so that a character split over chunks is none of its concern.
 */
export function createMasker(secrets: readonly string[]): Masker {
  // One character a byte.
  const patterns = patternsOf(secrets).map((text) => Buffer.from(text, "utf8").toString("latin1"));
  if (patterns.length === 0) return { push: (chunk) => chunk, flush: () => new Uint8Array() };
  const any = new RegExp(patterns.map(escapePattern).join("|"), "g");
  const longest = patterns[0]?.length ?? 0;
  let kept = "";

  /** Where the rest begins that may be the beginning of a secret. */
  function openFrom(text: string, from: number): number {
    for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
      const rest = text.slice(at);
      if (patterns.some((pattern) => pattern.length > rest.length && pattern.startsWith(rest))) return at;
    }
    return text.length;
  }

  function masked(text: string, isLast: boolean): string {
    let result = "";
    let done = 0;
    let open = isLast ? text.length : openFrom(text, 0);
    any.lastIndex = 0;
    for (let found = any.exec(text); found !== null && found.index < open; found = any.exec(text)) {
      result += text.slice(done, found.index) + maskText;
      done = any.lastIndex;
      if (done > open) open = isLast ? text.length : openFrom(text, done);
    }
    kept = text.slice(open);
    return result + text.slice(done, open);
  }

  return {
    push: (chunk) => Buffer.from(masked(kept + Buffer.from(chunk).toString("latin1"), false), "latin1"),
    flush: () => Buffer.from(masked(kept, true), "latin1"),
  };
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

/** The longest first. White space alone is no secret. */
/** Lines of secrets of several lines that are too short to be masked wherever they stand. */
export function shortLinesOf(secrets: readonly string[]): ReadonlySet<string> {
  return new Set(secrets.flatMap(linesOf).filter((line) => line.length <= longestShortLine));
}

export const longestShortLine = 3;

function linesOf(secret: string): string[] {
  return /[\r\n]/.test(secret) ? secret.split(/[\r\n]+/).map((line) => line.trim()) : [];
}

function patternsOf(secrets: readonly string[]): string[] {
  const texts = [...secrets, ...secrets.flatMap(linesOf).filter((line) => line.length > longestShortLine)];
  const all = new Set(texts.filter((text) => text.trim() !== ""));
  return [...all].sort((a, b) => Buffer.byteLength(b) - Buffer.byteLength(a));
}

/** The text as a pattern that matches it alone. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
