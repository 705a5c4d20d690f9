export interface Backoff {
  firstMilliseconds: number;
  longestMilliseconds: number;
}

/**
 * Waits before another attempt: at random up to the first pause, and up to twice as long after each further attempt.
 * @param attempt which one failed, from 1
 */
export function backOff(attempt: number, { firstMilliseconds, longestMilliseconds }: Backoff): Promise<void> {
  const longest = Math.min(firstMilliseconds * 2 ** (attempt - 1), longestMilliseconds);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
