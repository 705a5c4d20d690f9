import { requireUnused } from "../../../shared/definitions/requireUnused.ts";
import { ApiError } from "../../../shared/errors/apiError.ts";
import { deleteRegistry, findRegistry } from "../../../shared/registries/store/registries.ts";
import { keys, references } from "../../../shared/store/keys.ts";
import { referringEnvironments } from "../../../shared/store/references.ts";

const maxNamed = 5;

/**
 * Deletes a registry; one that is gone already is no error (decisions 1.1).
 * @throws ApiError 400 while an environment uses it (decisions 5.3)
 */
export async function removeRegistry(registryId: string): Promise<void> {
  const registry = await findRegistry(registryId);
  if (registry === undefined) return;
  const users = await referringEnvironments(references.registry(registryId));
  const names = users.map(({ projectKey, envKey }) => `${envKey} of project ${projectKey}`);
  if (names.length > 0) {
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
    throw new ApiError(
      400,
      `the registry is used by environment ${names.slice(0, maxNamed).join(", ")}${more}; delete them or give them another registry first`,
    );
  }
  await requireUnused("the registry", { key: keys.registry(registryId) });
  await deleteRegistry(registry);
}
