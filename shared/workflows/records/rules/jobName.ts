/** The place of a job task: indices from 0 over the complete definition, skipped jobs included (contract W 4.3). */
export interface JobPlace {
  stage: number;
  job: number;
  sub: number;
}

/** Name of a job task: the `:jobName` of the log routes. */
export function jobTaskName({ stage, job, sub }: JobPlace, jobName: string): string {
  return `job-${stage}-${job}-${sub}-${jobName}`;
}

/** Parts of a key joined as variables use them: `<job>.<service>.<module>` (contract W 8.9). */
export function jobKey(jobName: string, parts: readonly string[]): string {
  return [jobName, ...parts].join(".");
}

export function jobDisplayName(jobName: string, parts: readonly string[]): string {
  return [jobName, ...parts].join("-");
}
