const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SHORT_ESCAPES = new Map([
  [7, "\\a"],
  [8, "\\b"],
  [9, "\\t"],
  [10, "\\n"],
  [11, "\\v"],
  [12, "\\f"],
  [13, "\\r"],
  [92, "\\\\"],
]);

/** Quotes text as a Go string constant (quote `"`) or character constant (quote `'`); `isAscii` escapes all else. */
export function quoteGo(text: string, quote: '"' | "'", isAscii: boolean): string {
  let quoted = quote;
  for (const char of text) quoted += quoteCharacter(char, quote, isAscii);
  return quoted + quote;
}

/** Whether Go counts a code point as printable. */
export function isPrintable(code: number): boolean {
  return PRINTABLE.test(String.fromCodePoint(code));
}

function quoteCharacter(char: string, quote: string, isAscii: boolean): string {
  // Half a surrogate pair is what UTF-8 has no bytes for.
  const code = char.length === 1 && /[\ud800-\udfff]/.test(char) ? 0xfffd : (char.codePointAt(0) ?? 0);
  if (char === quote) return `\\${quote}`;
  const short = SHORT_ESCAPES.get(code);
  if (short) return short;
  if (isPrintable(code) && (!isAscii || code < 128)) return String.fromCodePoint(code);
  if (code < 32 || code === 127) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}
