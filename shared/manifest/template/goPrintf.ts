import type { Budget } from "./budget.ts";
import { type FormatFlags, formatValue, PLAIN_FLAGS, printValue } from "./goFormat.ts";
import { GoByte, type GoValue, typeName } from "./goValue.ts";

/** Beyond this Go takes a width or precision for a mistake. */
const MAX_NUMBER = 1_000_000;

/** Go's `fmt.Sprintf`, with its texts for wrong, missing and superfluous arguments. */
export function sprintf(format: string, args: readonly GoValue[], budget: Budget): string {
  return new Formatting(format, args, budget).run();
}

/** Go's `fmt.Sprint`: adds a space between two values of which neither is a string. */
export function sprint(args: readonly GoValue[], budget: Budget): string {
  let text = "";
  args.forEach((arg, at) => {
    if (at > 0 && typeof arg !== "string" && typeof args[at - 1] !== "string") text += " ";
    text += printValue(arg, budget);
  });
  budget.text(text.length);
  return text;
}

/** Go's `fmt.Sprintln`: spaces between all values and a line break at the end. */
export function sprintln(args: readonly GoValue[], budget: Budget): string {
  const text = `${args.map((arg) => printValue(arg, budget)).join(" ")}\n`;
  budget.text(text.length);
  return text;
}

class Formatting {
  readonly #format: string;
  readonly #args: readonly GoValue[];
  readonly #budget: Budget;
  #at = 0;
  #arg = 0;
  #isReordered = false;
  #isGoodIndex = true;
  #output = "";

  constructor(format: string, args: readonly GoValue[], budget: Budget) {
    this.#format = format;
    this.#args = args;
    this.#budget = budget;
  }

  run(): string {
    const format = this.#format;
    while (this.#at < format.length) {
      const percent = format.indexOf("%", this.#at);
      const end = percent < 0 ? format.length : percent;
      this.#output += format.slice(this.#at, end);
      this.#at = end + 1;
      if (percent < 0) break;
      this.#directive();
      this.#budget.step();
    }
    if (!this.#isReordered && this.#arg < this.#args.length) this.#extra();
    this.#budget.text(this.#output.length);
    return this.#output;
  }

  #extra(): void {
    const shown = this.#args
      .slice(this.#arg)
      .map((arg) =>
        arg === undefined || arg === null
          ? "<nil>"
          : `${typeName(arg)}=${formatValue(arg, "v", PLAIN_FLAGS, this.#budget)}`,
      );
    this.#output += `%!(EXTRA ${shown.join(", ")})`;
  }

  #directive(): void {
    const flags = this.#flags();
    this.#isGoodIndex = true;
    let afterIndex = this.#index();
    if (this.#format[this.#at] === "*") {
      this.#at++;
      this.#starWidth(flags);
      afterIndex = false;
    } else {
      const width = this.#number();
      if (width !== undefined) flags.width = width;
      if (afterIndex && width !== undefined) this.#isGoodIndex = false;
    }
    if (this.#format[this.#at] === "." && this.#at + 1 < this.#format.length) {
      this.#at++;
      if (afterIndex) this.#isGoodIndex = false;
      afterIndex = this.#precision(flags);
    }
    if (!afterIndex) this.#index();
    this.#verb(flags);
  }

  #flags(): FormatFlags {
    const flags = { ...PLAIN_FLAGS };
    for (; ; this.#at++) {
      const char = this.#format[this.#at];
      if (char === "#") flags.sharp = true;
      else if (char === "0") flags.zero = true;
      else if (char === "+") flags.plus = true;
      else if (char === "-") flags.minus = true;
      else if (char === " ") flags.space = true;
      else return flags;
    }
  }

  /** Reads `[n]`; true when it was there and could be read. */
  #index(): boolean {
    if (this.#format[this.#at] !== "[") return false;
    this.#isReordered = true;
    const close = this.#format.length - this.#at < 3 ? -1 : this.#format.indexOf("]", this.#at);
    if (close < 0) {
      this.#isGoodIndex = false;
      this.#at++;
      return false;
    }
    const text = this.#format.slice(this.#at + 1, close);
    this.#at = close + 1;
    const index = /^[0-9]{1,7}$/.test(text) ? Number(text) - 1 : undefined;
    if (index !== undefined && index >= 0 && index < this.#args.length) {
      this.#arg = index;
      return true;
    }
    this.#isGoodIndex = false;
    return index !== undefined;
  }

  /** Reads digits; undefined without any. A number out of range makes Go give up on the rest of the format. */
  #number(): number | undefined {
    let value: number | undefined;
    for (; /[0-9]/.test(this.#format[this.#at] ?? ""); this.#at++) {
      if (value !== undefined && value > MAX_NUMBER) {
        this.#at = this.#format.length;
        return undefined;
      }
      value = (value ?? 0) * 10 + Number(this.#format[this.#at]);
    }
    return value;
  }

  #starWidth(flags: FormatFlags): void {
    const width = this.#star();
    if (width === undefined) {
      this.#output += "%!(BADWIDTH)";
      return;
    }
    flags.width = Math.abs(width);
    if (width >= 0) return;
    flags.minus = true;
    flags.zero = false;
  }

  /** Reads what follows the point; returns whether the last thing read was an index. */
  #precision(flags: FormatFlags): boolean {
    const afterIndex = this.#index();
    if (this.#format[this.#at] !== "*") {
      flags.precision = this.#number() ?? 0;
      return afterIndex;
    }
    this.#at++;
    const precision = this.#star();
    if (precision !== undefined && precision >= 0) flags.precision = precision;
    else this.#output += "%!(BADPREC)";
    return false;
  }

  #star(): number | undefined {
    if (this.#arg >= this.#args.length) return undefined;
    const arg = this.#args[this.#arg++];
    const value = arg instanceof GoByte ? arg.value : arg;
    return typeof value === "bigint" && value <= MAX_NUMBER && value >= -MAX_NUMBER ? Number(value) : undefined;
  }

  #verb(flags: FormatFlags): void {
    const code = this.#format.codePointAt(this.#at);
    if (code === undefined) {
      this.#output += "%!(NOVERB)";
      return;
    }
    const verb = String.fromCodePoint(code);
    this.#at += verb.length;
    if (verb === "%") this.#output += "%";
    else if (!this.#isGoodIndex) this.#output += `%!${verb}(BADINDEX)`;
    else if (this.#arg >= this.#args.length) this.#output += `%!${verb}(MISSING)`;
    else {
      const isGoSyntax = (verb === "v" || verb === "w") && flags.sharp;
      const cleared = verb === "v" || verb === "w" ? { sharp: false, plus: false } : {};
      this.#output += formatValue(this.#args[this.#arg++], verb, { ...flags, ...cleared, isGoSyntax }, this.#budget);
    }
  }
}
