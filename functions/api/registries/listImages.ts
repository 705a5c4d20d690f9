import { ApiError, badRequest } from "../../../shared/errors/apiError.ts";
import { askRegistry } from "../../../shared/images/askRegistry.ts";
import { ImageProblem } from "../../../shared/images/imageProblem.ts";
import { listTags } from "../../../shared/images/readTags.ts";
import { repositoryProblem } from "../../../shared/images/rules/imageNames.ts";
import { settled } from "../../../shared/images/settled.ts";
import { inSlot } from "../../../shared/images/slots.ts";
import { requireRegistry } from "../../../shared/registries/store/registries.ts";

/**
 * The tags of images of a registry, by their names below its namespace (contract D 4.7).
 * @throws ApiError 400 for names that are none, 6281 without such a registry, 6280 when the registry does not answer
 */
export async function listImages(registryId: string, names: readonly string[]) {
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
