import type { Problem } from "@slipway/client";

/** A tool was called in a way that cannot be right; it is refused before anything is sent to Slipway. */
export class WrongCall extends Error {
  override readonly name = "WrongCall";
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[] = []) {
    super(message);
    this.problems = problems;
  }
}
