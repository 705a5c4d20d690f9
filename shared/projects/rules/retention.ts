/** How long a project keeps what its tasks leave, in days from their end; 0 is for ever. */
export interface Retention {
  taskDays: number;
  /** Logs go with their task at the latest. */
  logDays: number;
}

export const keptForEver: Retention = { taskDays: 0, logDays: 0 };

export const longestDays = 3650;

/** The newest tasks of each workflow, test and scan stay however old they are. */
export const newestKept = 20;

const secondsADay = 86_400;

/** What ended before (Unix seconds) is not kept any more; undefined where everything is. */
export function keptSince(days: number, now: number): number | undefined {
  return days === 0 ? undefined : now - days * secondsADay;
}
