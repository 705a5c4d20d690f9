import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../base/store/tableClient.ts";
import type { Write } from "../../base/store/writes.ts";
import { projectMustStand } from "../../projects/store/projects.ts";
import { type Change, type ChangeKind, createChange, supersedeChange } from "../store/changes.ts";
import { changeEnvironment, type EnvironmentRecord } from "../store/environments.ts";
import { startChange } from "./changeControl.ts";
import { newChange } from "./newChange.ts";
import { endOpenWait, findOpenWait } from "./takeOverWait.ts";

/** What is done to an environment in one step, its services untouched. */
type StepKind = Extract<ChangeKind, "sleep" | "wake" | "share" | "unshare" | "portal" | "test">;

/** For users, where it was not set going. */
export const overtaken =
  "environment is in a state that cannot be updated: another change of it began at the same moment";

/**
 * Sets such a change going for an environment that was read and may begin it; `noted` is stored with it, `beside` written
 * in the same transaction.
 * @returns false when another change was faster, or `beside` did not hold
 */
export async function startStepChange(
  kind: StepKind,
  environment: Item<EnvironmentRecord>,
  by: string,
  {
    noted = {},
    beside = () => [],
    test,
  }: {
    noted?: Partial<EnvironmentRecord>;
    beside?: (change: Change) => readonly Write[];
    test?: Change["test"];
  } = {},
): Promise<boolean> {
  const change = newChange(environment, { kind, by, ...(test && { test }) });
  const set = { ...noted, status: "updating" as const, rollingOut: false, changeId: change.changeId, updatedBy: by };
  const before = await findOpenWait(environment);
  await enableReconciler();
  try {
    await table().write(
      changeEnvironment(environment, set, mustHaveVersion(environment.version)),
      ...createChange(change, change.deadline),
      projectMustStand(environment.projectKey),
      ...(before === undefined ? [] : [supersedeChange(before, change)]),
      ...beside(change),
    );
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
  if (before !== undefined) await endOpenWait(before);
  await start(change);
  return true;
}

/** It is accepted: what fails here the reconciler does again. */
async function start(change: Change): Promise<void> {
  try {
    await startChange(change);
  } catch (error) {
    log.error("accepted change not started yet", { changeId: change.changeId, internal: String(error) });
  }
}
