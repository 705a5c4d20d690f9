const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/** Calls `then` after any number of milliseconds (a timer of Node fires at once beyond 24.8 days). Returns the cancel. */
export function longTimer(milliseconds: number, then: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (rest: number): void => {
    const step = Math.min(Math.max(rest, 0), LONGEST_MILLISECONDS);
    timer = setTimeout(() => (rest > step ? wait(rest - step) : then()), step);
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}
