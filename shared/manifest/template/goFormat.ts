import type { Budget } from "./budget.ts";
import { type FloatVerb, formatFloat } from "./goNumberFormat.ts";
import { fromData, GoByte, type GoValue, isList, isMap, sortedKeys, typeName } from "./goValue.ts";
import { TemplateError } from "./templateError.ts";

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
function quoteGo(text: string, quote: '"' | "'", isAscii: boolean): string {
  let quoted = quote;
  for (const char of text) quoted += quoteCharacter(char, quote, isAscii);
  return quoted + quote;
}

/** Whether Go counts a code point as printable. */
function isPrintable(code: number): boolean {
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

/** The flags, width and precision between `%` and the verb. */
export interface FormatFlags {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  width?: number;
  precision?: number;
  /** `%#v` */
  isGoSyntax: boolean;
}

export const PLAIN_FLAGS: FormatFlags = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  isGoSyntax: false,
};

const MAX_DEPTH = 1000;

/** Formats one value as Go's fmt does for a verb. Throws a TemplateError for what has no repeatable text in Go. */
export function formatValue(value: GoValue, verb: string, flags: FormatFlags, budget: Budget): string {
  return new Printer(flags, budget).argument(value, verb);
}

/** Formats a value as Go's `fmt.Print` does. */
export function printValue(value: GoValue, budget: Budget): string {
  return typeof value === "string" ? value : formatValue(value, "v", PLAIN_FLAGS, budget);
}

class Printer {
  readonly #flags: FormatFlags;
  readonly #budget: Budget;
  #depth = 0;

  constructor(flags: FormatFlags, budget: Budget) {
    this.#flags = flags;
    this.#budget = budget;
  }

  argument(value: GoValue, verb: string): string {
    if (value === undefined || value === null) {
      return verb === "v" || verb === "T" ? this.#pad("<nil>") : `%!${verb}(<nil>)`;
    }
    if (verb === "T") return this.#text(typeName(value));
    const isCollection = isList(value) || isMap(value);
    if (verb === "p" && isCollection) {
      throw new TemplateError("execution", this.#budget.line, "printf %p of a map or list is not supported");
    }
    if (verb === "w" && isCollection) return this.#wrong(value, verb);
    return this.#value(value, verb);
  }

  #value(value: GoValue, verb: string): string {
    this.#budget.step();
    if (value instanceof GoByte) {
      if (verb === "v" && this.#flags.isGoSyntax) return `0x${value.value.toString(16)}`;
      return this.#integer(value.value, verb, value);
    }
    if (typeof value === "boolean")
      return verb === "t" || verb === "v" ? this.#pad(String(value)) : this.#wrong(value, verb);
    if (typeof value === "bigint") return this.#integer(value, verb, value);
    if (typeof value === "number") return this.#float(value, verb);
    if (typeof value === "string") return this.#string(value, verb);
    if (isList(value)) return this.#list(value, verb);
    return isMap(value) ? this.#map(value, verb) : "";
  }

  #wrong(value: GoValue, verb: string): string {
    return `%!${verb}(${typeName(value)}=${this.#value(value, "v")})`;
  }

  #nested(item: unknown, verb: string): string {
    const value = fromData(item);
    if (value === null) return this.#flags.isGoSyntax ? "interface {}(nil)" : "<nil>";
    if (++this.#depth > MAX_DEPTH) {
      throw new TemplateError("limit", this.#budget.line, `a value nests deeper than ${MAX_DEPTH} levels`);
    }
    const text = this.#value(value, verb);
    this.#depth--;
    return text;
  }

  #list(list: readonly unknown[], verb: string): string {
    const items = list.map((item) => this.#nested(item, verb));
    return this.#flags.isGoSyntax ? `[]interface {}{${items.join(", ")}}` : `[${items.join(" ")}]`;
  }

  #map(map: Readonly<Record<string, unknown>>, verb: string): string {
    const items = sortedKeys(map).map((key) => `${this.#string(key, verb)}:${this.#nested(map[key], verb)}`);
    return this.#flags.isGoSyntax ? `map[string]interface {}{${items.join(", ")}}` : `map[${items.join(" ")}]`;
  }

  #pad(text: string, zero = this.#flags.zero): string {
    const { width = 0, minus } = this.#flags;
    if (width === 0) return text;
    const missing = width - [...text].length;
    if (missing <= 0) return text;
    this.#budget.text(width);
    return minus ? text + " ".repeat(missing) : (zero ? "0" : " ").repeat(missing) + text;
  }

  #truncated(text: string): string {
    const { precision } = this.#flags;
    return precision === undefined ? text : [...text].slice(0, precision).join("");
  }

  #text(text: string): string {
    return this.#pad(this.#truncated(text));
  }

  #string(text: string, verb: string): string {
    this.#budget.text(text.length);
    switch (verb) {
      case "v":
        return this.#flags.isGoSyntax ? this.#quoted(text) : this.#text(text);
      case "s":
        return this.#text(text);
      case "q":
        return this.#quoted(text);
      case "x":
      case "X":
        return this.#hexadecimal(text, verb);
      default:
        return `%!${verb}(string=${this.#text(text)})`;
    }
  }

  #quoted(text: string): string {
    const cut = this.#truncated(text);
    // Back quotes serve when nothing in the text needs an escape.
    const canBackquote = !/[`\ufeff\u007f]|[^\t -\u{10ffff}]/u.test(cut);
    return this.#pad(this.#flags.sharp && canBackquote ? `\`${cut}\`` : quoteGo(cut, '"', this.#flags.plus));
  }

  #hexadecimal(text: string, verb: "x" | "X"): string {
    const bytes = Buffer.from(text).subarray(0, this.#flags.precision);
    const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
    const { sharp, space } = this.#flags;
    const lead = sharp ? "0x" : "";
    const digits = pairs.length === 0 ? "" : space ? pairs.map((pair) => lead + pair).join(" ") : lead + pairs.join("");
    return this.#pad(verb === "X" ? digits.toUpperCase() : digits);
  }

  #integer(value: bigint, verb: string, shown: GoValue): string {
    switch (verb) {
      case "v":
      case "d":
        return this.#digits(value, 10, "");
      case "b":
        return this.#digits(value, 2, this.#flags.sharp ? "0b" : "");
      case "o":
        return this.#digits(value, 8, this.#flags.sharp ? "0" : "");
      case "O":
        return this.#digits(value, 8, this.#flags.sharp ? "0o0" : "0o");
      case "x":
        return this.#digits(value, 16, this.#flags.sharp ? "0x" : "");
      case "X":
        return this.#digits(value, 16, this.#flags.sharp ? "0X" : "").toUpperCase();
      case "c":
        return this.#pad(characterOf(value));
      case "q":
        return this.#pad(quoteGo(characterOf(value), "'", this.#flags.plus));
      case "U":
        return this.#unicode(value);
      default:
        return this.#wrong(shown, verb);
    }
  }

  #digits(value: bigint, base: number, prefix: string): string {
    const { plus, space, zero, minus, width = 0, precision } = this.#flags;
    const isNegative = value < 0n;
    const sign = isNegative ? "-" : plus ? "+" : space ? " " : "";
    if (precision === 0 && value === 0n) return " ".repeat(width);
    const fill = precision ?? (zero && !minus && this.#flags.width !== undefined ? width - (sign === "" ? 0 : 1) : 0);
    this.#budget.text(fill);
    const text = (isNegative ? -value : value).toString(base).padStart(fill, "0");
    // An octal that begins with 0 already shows its base.
    const lead = base === 8 && prefix.endsWith("0") && text.startsWith("0") ? prefix.slice(0, -1) : prefix;
    return this.#pad(sign + lead + text, false);
  }

  #unicode(value: bigint): string {
    const code = BigInt.asUintN(64, value);
    this.#budget.text(this.#flags.precision ?? 0);
    const digits = code
      .toString(16)
      .toUpperCase()
      .padStart(Math.max(this.#flags.precision ?? 4, 4), "0");
    const isShown = this.#flags.sharp && code <= 0x10ffffn && isPrintable(Number(code));
    return this.#pad(`U+${digits}${isShown ? ` '${String.fromCodePoint(Number(code))}'` : ""}`, false);
  }

  #float(value: number, verb: string): string {
    const known: Record<string, [FloatVerb, number]> = {
      v: ["g", -1],
      g: ["g", -1],
      G: ["G", -1],
      f: ["f", 6],
      F: ["f", 6],
      e: ["e", 6],
      E: ["E", 6],
    };
    const [format, standard] = known[verb] ?? [];
    if (format === undefined || standard === undefined) {
      if (!["b", "x", "X"].includes(verb)) return this.#wrong(value, verb);
      throw new TemplateError("execution", this.#budget.line, `printf %${verb} of a float is not supported`);
    }
    const precision = this.#flags.precision ?? standard;
    this.#budget.text(precision);
    return this.#signed(formatFloat(value, format, precision), format, precision);
  }

  #signed(formatted: string, verb: FloatVerb, precision: number): string {
    const { plus, space, zero, minus, sharp, width = 0 } = this.#flags;
    const isSigned = /^[+-]/.test(formatted);
    let sign = isSigned ? formatted.charAt(0) : "+";
    let number = isSigned ? formatted.slice(1) : formatted;
    if (space && sign === "+" && !plus) sign = " ";
    if (number === "Inf" || number === "NaN") {
      return this.#pad(number === "NaN" && !space && !plus ? number : sign + number, false);
    }
    if (sharp) number = withPoint(number, verb, precision);
    if (!plus && sign === "+") return this.#pad(number);
    if (zero && !minus && width > number.length + 1) return sign + number.padStart(width - 1, "0");
    return this.#pad(sign + number);
  }
}

/** What `#` does to a float: it always shows the point, and for `g` keeps trailing zeros. */
function withPoint(number: string, verb: FloatVerb, precision: number): string {
  const [mantissa = "", tail] = number.split(/(?=[eE])/);
  let digits = verb === "g" || verb === "G" ? (precision === -1 ? 6 : precision) : 0;
  digits -= mantissa.replace(".", "").replace(/^0+/, "").length;
  if (mantissa === "0") digits--;
  const pointed = mantissa.includes(".") ? mantissa : `${mantissa}.`;
  return pointed + "0".repeat(Math.max(digits, 0)) + (tail ?? "");
}

function characterOf(value: bigint): string {
  const isCharacter = value >= 0n && value <= 0x10ffffn && (value < 0xd800n || value > 0xdfffn);
  return isCharacter ? String.fromCodePoint(Number(value)) : "\ufffd";
}
