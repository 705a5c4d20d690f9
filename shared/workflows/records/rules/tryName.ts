/** Names one try of a job: what it makes outside is named after it, so that a repetition makes nothing twice. */
export function tryName({ jobId, retryCount }: { jobId: string; retryCount: number }): string {
  return `${jobId}-${retryCount}`;
}
