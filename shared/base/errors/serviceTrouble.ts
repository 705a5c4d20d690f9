/** A service that Slipway needs is throttled or fails by its own fault, as the code that asked it found. */
export class ServiceTrouble extends Error {}

/** What AWS services call "too many requests": as names of errors, and as reasons why a transaction was cancelled. */
const throttlingNames: ReadonlySet<unknown> = new Set([
  ...["Throttling", "ThrottlingError", "ThrottlingException", "ThrottledException", "RequestThrottled"],
  ...["RequestThrottledException", "TooManyRequestsException", "RequestLimitExceeded", "SlowDown"],
  ...["ProvisionedThroughputExceeded", "ProvisionedThroughputExceededException", "BandwidthLimitExceeded"],
]);

/** Whether a service refused a request because there were too many: it did nothing, and the same request may succeed later. */
export function isThrottling(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { CancellationReasons: reasons } = error as { CancellationReasons?: readonly { Code?: string }[] };
  return throttlingNames.has(error.name) || (reasons ?? []).some(({ Code }) => throttlingNames.has(Code));
}

/**
 * Whether something failed because a service of AWS was throttled or failed by its own fault, the SDK's own tries included.
 * The request may have been carried out in the latter case.
 */
export function isServiceTrouble(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ServiceTrouble || isThrottling(cause)) return true;
    const { $fault: fault, $metadata: metadata } = cause as {
      $fault?: string;
      $metadata?: { httpStatusCode?: number };
    };
    if (metadata !== undefined && (fault === "server" || (metadata.httpStatusCode ?? 0) >= 500)) return true;
  }
  return false;
}
