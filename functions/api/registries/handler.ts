import type * as z from "zod";
import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { keys, references } from "../../../shared/base/store/keys/keys.ts";
import { referringEnvironments } from "../../../shared/base/store/references.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { askRegistry, checkRegistry } from "../../../shared/packaging/images/askRegistry.ts";
import { ImageProblem } from "../../../shared/packaging/images/imageProblem.ts";
import { listTags } from "../../../shared/packaging/images/readTags.ts";
import { registryAccess } from "../../../shared/packaging/images/registryAccess.ts";
import { repositoryProblem } from "../../../shared/packaging/images/rules/imageNames.ts";
import { settled } from "../../../shared/packaging/images/settled.ts";
import { inSlot } from "../../../shared/packaging/images/slots.ts";
import {
  deleteRegistry,
  findRegistry,
  listRegistries,
  type RegistrySummary,
  readRegistry,
  requireRegistry,
} from "../../../shared/packaging/registries/store/registries.ts";
import { requireUnused } from "../../../shared/workflows/jobDefinitions/requireUnused.ts";
import { addRegistry, recordOf } from "./addRegistry.ts";
import { replaceRegistry } from "./replaceRegistry.ts";
import { registryRoutes } from "./routes.ts";
import type { newRegistry } from "./schemas.ts";

const maxNamed = 5;

/**
 * Deletes a registry; one that is gone already is no error (decisions 1.1).
 * @throws ApiError 400 while an environment uses it (decisions 5.3)
 */
async function removeRegistry(registryId: string): Promise<void> {
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

export const handler = createApi(registryRoutes, {
  createRegistry: async ({ body, caller }) => {
    await addRegistry(body, caller.name);
    return success;
  },

  listRegistries: async () => {
    const { registries, defaultId } = await listRegistries();
    return registries.map((registry) => shown(registry, registry.registryId === defaultId));
  },

  getRegistry: async ({ params }) => {
    const found = await readRegistry(params.id);
    if (found === undefined) throw notFound(`registry ${params.id}`);
    return shown(found.registry, found.isDefault);
  },

  updateRegistry: async ({ params, body, caller }) => {
    await replaceRegistry(params.id, body, caller.name);
    return success;
  },

  deleteRegistry: async ({ params }) => {
    await removeRegistry(params.id);
    return success;
  },

  validateRegistry: async ({ body, caller }) => {
    await validateRegistry(body, caller.name);
    return success;
  },

  listImages: ({ query, body }) => listImages(query.registryId ?? "", body.names),
});

function shown({ registryId, address, provider, region, namespace }: RegistrySummary, isDefault: boolean) {
  return { registry_id: registryId, address, provider, region, namespace, is_default: isDefault };
}

/**
 * The tags of images of a registry, by their names below its namespace (contract D 4.7).
 * @throws ApiError 400 for names that are none, 6281 without such a registry, 6280 when the registry does not answer
 */
async function listImages(registryId: string, names: readonly string[]) {
  const registry = await requireRegistry(registryId);
  try {
    return await askRegistry(registry, async (line) => {
      const { address: host, namespace } = line.access;
      const repositories = names.map((name) => ({
        name,
        repository: namespace === "" ? name : `${namespace}/${name}`,
      }));
      const problems = repositories.flatMap(({ repository }, at) => {
        const problem = repositoryProblem(repository, namespace);
        return problem === undefined ? [] : [{ in: "body", path: `names[${at}]`, problem } as const];
      });
      if (problems.length > 0) throw badRequest(problems);
      const images = await settled(
        repositories.map(({ name, repository }) => async () => {
          const tags = await inSlot(line, () => listTags({ line, repository }));
          return tags.map((tag) => ({ host, owner: registry.namespace, name, tag, created: "", digest: "" }));
        }),
      );
      return images.flat();
    });
  } catch (error) {
    if (!(error instanceof ImageProblem)) throw error;
    throw new ApiError(6280, error.message, { cause: error });
  }
}

/**
 * Logs in to a registry as it would be when it was added; nothing is stored (contract D 4.7).
 * @throws ApiError 400 that says why it cannot be used
 */
async function validateRegistry(wanted: z.output<typeof newRegistry>, caller: string): Promise<void> {
  try {
    await checkRegistry(await registryAccess(await recordOf(wanted, caller)));
  } catch (error) {
    if (!(error instanceof ImageProblem)) throw error;
    throw new ApiError(400, error.message, { cause: error });
  }
}
