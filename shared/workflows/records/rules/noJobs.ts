/** What a machine that waits for the approval of a stage continues with when it is to ask for the next step. */
export function noJobs(stage: number) {
  return { do: "jobs" as const, stage, jobs: [] as string[], concurrency: 1, timeoutSeconds: 1 };
}
