/**
 * The error of a state by its States Language name. What is not `matchable` ends the execution, whatever Retry and Catch
 * say.
 */
export class StateError extends Error {
  readonly isMatchable: boolean;

  constructor(name: string, cause: string, isMatchable = true) {
    super(cause);
    this.name = name;
    this.isMatchable = isMatchable;
  }
}

/** What is wrong with a definition or with the data that it meets. */
export function runtimeError(cause: string): StateError {
  return new StateError("States.Runtime", cause, false);
}

/** Whether one of the names of a Retry or Catch rule is meant for the error. */
export function matches(names: readonly string[], error: StateError): boolean {
  const isTimeout = error.name === "States.Timeout" || error.name === "States.HeartbeatTimeout";
  return (
    error.isMatchable &&
    names.some(
      (name) =>
        name === error.name ||
        name === "States.ALL" ||
        (name === "States.Timeout" && isTimeout) ||
        (name === "States.TaskFailed" && !isTimeout),
    )
  );
}
