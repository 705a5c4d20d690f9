import type { ScriptJob } from "../../../definition/script/scriptJob.ts";

export const scannerTypes = ["sonarQube", "other"] as const;
export const hookEvents = ["push", "pull_request", "tag"] as const;

/** Stored and shown, and never fired (decisions 7.6). */
export interface ScanHook {
  codeHostName: string;
  namespace: string;
  repository: string;
  branch: string;
  events: readonly (typeof hookEvents)[number][];
  matchFolders: readonly string[];
}

/** A code scan as it is stored (contract W 12). `script` runs for `other` alone. */
export interface ScanDefinition extends ScriptJob {
  description: string;
  scannerType: (typeof scannerTypes)[number];
  /** Record id of the SonarQube server; empty for `other`. */
  sonarId: string;
  /** Of sonarQube: the scanner's configuration. */
  sonarParameter: string;
  /** Of sonarQube: runs before the scanner. */
  prelaunchScript: string;
  /** Of sonarQube: a gate that is not passed fails the job. */
  enableQualityGate: boolean;
  /** Files and folders that are kept, below the workspace. */
  archivePaths: readonly string[];
  /** Tasks that run at once; -1 and 0: any number (contract W 8.4). */
  concurrencyLimit: number;
  webhooks: { enabled: boolean; hooks: readonly ScanHook[] };
}
