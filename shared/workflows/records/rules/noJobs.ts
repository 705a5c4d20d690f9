/** What a machine that waits for the approval of a stage goes on with when it is to ask what comes next. */
export function noJobs(stage: number) {
  return { do: "jobs" as const, stage, jobs: [] as string[], concurrency: 1, timeoutSeconds: 1 };
}
