import { findCollaborations } from "../../access/identity/store/collaborations.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { findProject } from "../../projects/store/projects.ts";
import { keptDefinitions } from "../clusterObjects/keptDefinitions.ts";
import type { PlanWarning } from "../plan/planServices.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import type { Actor } from "./createEnvironment.ts";
import { type DeletionOptions, startDeletion } from "./startDeletion.ts";

/**
 * Begins the deletion of an environment, from whatever state (contract P 4.7); one that is being deleted is left alone.
 * The state machine takes the objects away and removes the record last. Projects that only look at workloads of others
 * (type `loaded`) lose the record alone.
 * @returns definitions that stay because objects of others are of them
 * @throws ApiError 404 for an unknown environment; 6077 for one that a collaboration mode makes copies of
 */
export async function deleteEnvironment(
  name: EnvironmentName,
  { deleteObjects, deleteCrds = false }: DeletionOptions,
  actor: Pick<Actor, "name">,
): Promise<PlanWarning[]> {
  const { environment, services } = await requireEnvironment(name);
  await requireNoBase(environment);
  const project = deleteObjects ? await findProject(name.projectKey) : undefined;
  const deletes = project !== undefined && project.projectType !== "loaded" && !environment.production;
  const warnings = deletes && !deleteCrds ? await keptDefinitions(environment, services) : [];
  await startDeletion(environment, { deleteObjects: deletes, deleteCrds }, actor);
  return warnings;
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
