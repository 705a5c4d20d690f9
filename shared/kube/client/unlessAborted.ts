/** A shared promise, given up by one of its waiters when its signal says so. @throws the signal's reason */
export async function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  // Whoever does not wait for it at all does not answer for its failure either.
  if (signal.aborted) shared.catch(() => {});
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([shared, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Whose time was up was not answered; whoever gave up did not want to know any more. */
export function endOf({ aborted, reason }: AbortSignal): "deadline" | "signal" | undefined {
  if (!aborted) return undefined;
  return reason instanceof DOMException && reason.name === "TimeoutError" ? "deadline" : "signal";
}
