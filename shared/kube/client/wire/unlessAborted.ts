/** A shared promise, given up by one of its waiters when its signal says so. @throws the signal's reason */
export async function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  // A caller that does not wait for it at all is not responsible for its failure either.
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

/** `deadline`: no answer came in time; `signal`: the caller gave up and no longer wants an answer. */
export function endOf({ aborted, reason }: AbortSignal): "deadline" | "signal" | undefined {
  if (!aborted) return undefined;
  return reason instanceof DOMException && reason.name === "TimeoutError" ? "deadline" : "signal";
}
