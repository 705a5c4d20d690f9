import type { TestReport } from "./reports/testReport.ts";

/** A commit as its repository has it, before anything was merged onto it. */
export interface CheckedOutCommit {
  id: string;
  /** When it was committed, in Unix seconds; absent where a pod of an earlier release reported it. */
  time?: number;
  author: string;
  /** Its first line; a long one is cut. */
  message: string;
}

/**
 * What became of a job. `running`: neither ended nor stuck nor past the deadline, so it is to be awaited again.
 */
export interface CollectedJob {
  outcome: "passed" | "failed" | "timeout" | "running";
  /** Why it did not pass, one sentence without secrets; empty otherwise. */
  error: string;
  /** Exit code of the first step that failed; absent when none ended by itself. */
  exitCode?: number;
  /** By declared name; those without a value are absent. */
  outputs: Readonly<Record<string, string>>;
  /** What was checked out, by the place of its repository in the git step; absent where nothing was. */
  commits?: ReadonlyMap<number, CheckedOutCommit>;
  /** There when a report directory was declared and the job came to its end, also when its script failed. */
  report?: TestReport;
}
