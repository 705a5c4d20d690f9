import type { ScriptJob } from "../../../definition/script/scriptJob.ts";

/** A test as it is stored (decisions 7.7, contract W 13). */
export interface TestDefinition extends ScriptJob {
  description: string;
  /** Directory of JUnit XML reports, below the workspace; empty: none are read. */
  reportDirectory: string;
  htmlReportPath: string;
  archivePaths: readonly string[];
  /** Percent of the cases that must pass. */
  passRate: number;
  /** Tasks that run at once; -1 and 0: any number (contract W 8.4). */
  concurrencyLimit: number;
}
