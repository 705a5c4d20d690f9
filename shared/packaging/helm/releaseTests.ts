import type { StoredRelease } from "./storedRelease.ts";

/** A hook that `helm test` runs. */
export interface ReleaseTest {
  kind: string;
  name: string;
  /** The file of the chart that it comes from. */
  template: string;
  /** Its last run, as Helm noted it; times are Unix seconds. */
  lastRun?: { phase: string; startedAt: number; endedAt: number /** As Helm wrote it. */; started: string };
}

/** The tests that a release brings, in the order in which Helm runs them. */
export function releaseTests({ hooks }: Pick<StoredRelease, "hooks">): ReleaseTest[] {
  return (hooks ?? [])
    .filter(({ events }) => events?.includes("test"))
    .sort((a, b) => a.weight - b.weight || (a.name < b.name ? -1 : 1))
    .map(({ kind, name, path, last_run: run }) => ({
      ...{ kind, name, template: path },
      ...(run?.phase && {
        lastRun: {
          ...{ phase: run.phase, started: run.started_at ?? "" },
          ...{ startedAt: secondsOf(run.started_at), endedAt: secondsOf(run.completed_at) },
        },
      }),
    }));
}

/** Helm writes a time that it does not know as an empty text, or as the year 1. */
function secondsOf(time: string | null | undefined): number {
  const milliseconds = Date.parse(time ?? "");
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, Math.floor(milliseconds / 1000));
}
