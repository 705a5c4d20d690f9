import { stopExecution } from "../../base/aws/states/stateMachines.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { config } from "../../base/settings/config.ts";
import { both, mustBeOneOf, mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../base/store/tableClient.ts";
import { countOverview } from "../../reports/statistics/store/overview.ts";
import { statusesAccepting } from "../rules/status.ts";
import { createChange, findChange, isOpen, supersedeChange } from "../store/changes.ts";
import { changeEnvironment, type EnvironmentRecord, findEnvironment } from "../store/environments.ts";
import { executionName, startChange } from "./changeControl.ts";
import type { Actor } from "./createEnvironment.ts";
import { newChange } from "./newChange.ts";

export interface DeletionOptions {
  deleteObjects: boolean;
  /** Definitions go although objects of others are of them. */
  deleteCrds?: boolean | undefined;
}

/** Begins the deletion of an environment that was read, from whatever state. A deletion that another caller began meanwhile is as good. */
export async function startDeletion(
  environment: Item<EnvironmentRecord>,
  { deleteObjects, deleteCrds }: DeletionOptions,
  actor: Pick<Actor, "name">,
): Promise<void> {
  if (environment.status === "deleting") return;
  const before = await findChange(environment.changeId);
  const change = newChange(environment, {
    kind: "delete",
    deleteObjects: deleteObjects && !environment.production,
    ...(deleteCrds === true && { deleteCrds }),
    by: actor.name,
  });
  await enableReconciler();
  const condition = both(mustHaveVersion(environment.version), mustBeOneOf("status", statusesAccepting("delete")));
  try {
    await table().write(
      changeEnvironment(
        environment,
        { status: "deleting", changeId: change.changeId, updatedBy: actor.name, updatedAt: change.startedAt },
        condition,
      ),
      ...createChange(change, change.deadline),
      countOverview("environments", -1),
      ...(before !== undefined && isOpen(before) ? [supersedeChange(before, change)] : []),
    );
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const now = await findEnvironment(environment.projectKey, environment.envKey);
    if (now === undefined || now.status === "deleting") return;
    return startDeletion(now, { deleteObjects, deleteCrds }, actor);
  }
  if (before !== undefined && isOpen(before))
    await stopExecution(
      config().SLIPWAY_ENVIRONMENT_CHANGE_ARN,
      executionName(before),
      "the environment is being deleted",
    );
  await startChange(change);
}
