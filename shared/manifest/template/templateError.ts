/** What stage refused a template: reading it, running it, a key without a value, or a limit. */
export type TemplateErrorReason = "syntax" | "execution" | "missing" | "limit";

/** A template that cannot be read or run. `line` counts from 1 in the template's source. */
export class TemplateError extends Error {
  readonly line: number;
  readonly reason: TemplateErrorReason;
  /** The keys that have no value, in the order in which the template asks for them; only with reason `missing`. */
  readonly missingKeys?: readonly string[];

  constructor(reason: TemplateErrorReason, line: number, problem: string, missingKeys?: readonly string[]) {
    super(`template line ${line}: ${problem}`);
    this.name = "TemplateError";
    this.reason = reason;
    this.line = line;
    if (missingKeys) this.missingKeys = missingKeys;
  }
}
