import { mustExist } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { update, type Write } from "../../base/store/writes.ts";

/** A run of the tests of a release; the next version of the service forgets it. */
export interface TestRun {
  changeId: string;
  status: "running" | "passed" | "failed";
  /** The version of the service that was tested; 0 while that is not known. */
  version: number;
  by: string;
  /** Unix seconds. */
  startedAt: number;
  endedAt: number;
  /** Why the tests could not be run to their end; empty otherwise. */
  error: string;
  tests: TestOutcome[];
}

export interface TestOutcome {
  kind: string;
  name: string;
  status: "passed" | "failed" | "skipped";
  /** Why it failed. */
  message: string;
  startedAt: number;
  endedAt: number;
}

/** Notes on a service how the tests of its release go. */
export function setTestRun(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: string,
  test: TestRun,
): Write {
  return update(keys.environmentService(projectKey, envKey, service), { set: { test } }, mustExist);
}
