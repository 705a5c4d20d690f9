import { ClusterBusy, type ClusterError, ClusterUnreachable } from "./errors.ts";

/** Tries in one call, the first included. */
export const maxAttempts = 5;

const firstDelayMs = 100;
const longestDelayMs = 5_000;

/**
 * How long to wait before a call is tried again, in milliseconds; undefined when it is not.
 * Only 429, 5xx and broken connections are tried again: backoff that doubles, with full jitter, never less than the
 * server's Retry-After.
 */
export function retryDelayMs(
  error: ClusterError,
  attempt: number,
  retryAfterSeconds: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (attempt >= maxAttempts) return undefined;
  if (!(error instanceof ClusterBusy || error instanceof ClusterUnreachable)) return undefined;
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.max(random() * ceiling, (retryAfterSeconds ?? 0) * 1000);
}

/** Reads a Retry-After header in seconds or as a date. */
export function parseRetryAfter(header: string | undefined, now: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,6}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
