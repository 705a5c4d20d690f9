import { stopExecution } from "../clients/states/stateMachines.ts";
import { config } from "../config.ts";
import { statusesAccepting } from "../domain/environment/status.ts";
import { ApiError } from "../domain/errors/apiError.ts";
import { enableReconciler } from "../reconciling/enableReconciler.ts";
import { createChange, findChange, isOpen, supersedeChange } from "../store/changes.ts";
import { findCollaborations } from "../store/collaborations.ts";
import { changeEnvironment, type EnvironmentRecord, findEnvironment } from "../store/environments.ts";
import { findProject } from "../store/projects.ts";
import { ConditionFailed, type Item } from "../store/table.ts";
import { table } from "../store/theTable.ts";
import { both, mustBeOneOf, mustHaveVersion } from "../store/writes.ts";
import { executionName, startChange } from "./changeControl.ts";
import type { Actor } from "./createEnvironment.ts";
import { newChange } from "./newChange.ts";
import { type EnvironmentName, environmentMissing } from "./requireEnvironment.ts";

/**
 * Begins the deletion of an environment, from whatever state (contract P 4.7); one that is being deleted is left alone.
 * The state machine takes the objects away and removes the record last. Projects that only look at workloads of others
 * (type `loaded`) lose the record alone.
 * @throws ApiError 404 for an unknown environment; 6077 for one that a collaboration mode makes copies of
 */
export async function deleteEnvironment(
  name: EnvironmentName,
  deleteObjects: boolean,
  actor: Pick<Actor, "name">,
): Promise<void> {
  const environment = await findEnvironment(name.projectKey, name.envKey);
  if (environment === undefined || environment.production !== name.production) throw environmentMissing(name);
  await requireNoBase(environment);
  const project = deleteObjects ? await findProject(name.projectKey) : undefined;
  await beginDeletion(environment, project?.projectType === "yaml", actor);
}

/** Members of the mode are to get copies of it: what they are made from stays as long as the mode does. */
async function requireNoBase({ projectKey, envKey }: EnvironmentRecord): Promise<void> {
  const { modes = [] } = (await findCollaborations(projectKey)) ?? {};
  const mode = modes.find(({ environments }) =>
    environments.some(({ name, type }) => type === "new" && name === envKey),
  );
  if (mode === undefined) return;
  const why = `collaboration mode ${mode.name} makes copies of environment ${envKey}; delete the mode first`;
  throw new ApiError(6077, why);
}

/** The same for a record that was read. A deletion that another caller began meanwhile is as good. */
export async function beginDeletion(
  environment: Item<EnvironmentRecord>,
  deleteObjects: boolean,
  actor: Pick<Actor, "name">,
): Promise<void> {
  if (environment.status === "deleting") return;
  const before = await findChange(environment.changeId);
  const change = newChange(environment, {
    kind: "delete",
    deleteObjects: deleteObjects && !environment.production,
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
      createChange(change, change.deadline),
      ...(before !== undefined && isOpen(before) ? [supersedeChange(before, change)] : []),
    );
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const now = await findEnvironment(environment.projectKey, environment.envKey);
    if (now === undefined || now.status === "deleting") return;
    return beginDeletion(now, deleteObjects, actor);
  }
  if (before !== undefined && isOpen(before))
    await stopExecution(
      config().SLIPWAY_ENVIRONMENT_CHANGE_ARN,
      executionName(before),
      "the environment is being deleted",
    );
  await startChange(change);
}
