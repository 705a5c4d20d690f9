import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import type { Change } from "../store/changes.ts";
import { changeMustBeCurrent, findEnvironmentService } from "../store/environments.ts";
import { setTestRun, type TestRun } from "../store/testRuns.ts";

/** Notes how the tests of a service ended, unless a newer change took the environment over or the service is gone. */
export async function recordTests(change: Change, service: string, run: TestRun): Promise<void> {
  await tryWrite(table().write(changeMustBeCurrent(change), setTestRun(change, service, run)));
}

/** Notes why the tests of a change could not be run; what is noted already stays. */
export async function recordUntested(change: Change, service: string, error: string): Promise<void> {
  const run = (await findEnvironmentService(change.projectKey, change.envKey, service))?.test;
  if (run?.changeId !== change.changeId || run.status !== "running") return;
  await recordTests(change, service, { ...run, status: "failed", endedAt: nowSeconds(), error });
}
