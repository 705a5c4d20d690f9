/**
 * The error of a state by its States Language name. The library reads the two flags: errors that end the execution
 * whatever Retry and Catch say are not `matchable`.
 */
export class StateError extends Error {
  readonly isRetryable: boolean;
  readonly isCatchable: boolean;

  constructor(name: string, cause: string, matchable = true) {
    super(cause);
    this.name = name;
    this.isRetryable = matchable;
    this.isCatchable = matchable;
  }
}
