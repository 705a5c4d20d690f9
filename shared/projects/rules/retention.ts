/** How long a project keeps what tasks and deployments leave, in days; 0 is for ever. */
export interface Retention {
  /** From the end of a task. */
  taskDays: number;
  /** Logs go with their task at the latest. */
  logDays: number;
  /** Versions of services in environments, from when the next one replaced them. */
  versionDays: number;
}

export const keptForEver: Retention = { taskDays: 0, logDays: 0, versionDays: 0 };

export const longestDays = 3650;

/** The newest tasks of each workflow, test and scan stay however old they are. */
export const newestKept = 20;

const secondsADay = 86_400;

/** What ended before (Unix seconds) is no longer kept; undefined where everything is. */
export function keptSince(days: number, now: number): number | undefined {
  return days === 0 ? undefined : now - days * secondsADay;
}

/**
 * Versions that were replaced before a time (Unix seconds): the one before a change stays as long as the change is young, so that
 * it can be taken back, and the newest always.
 * @param versions oldest first
 */
export function replacedBefore<T extends { createTime: number }>(versions: readonly T[], before: number): T[] {
  return versions.filter((_, at) => {
    const next = versions[at + 1];
    return next !== undefined && next.createTime < before;
  });
}
