import { definitionOwner } from "./saveDefinition.ts";
import type { Definition, DefinitionStore } from "./store/definitionStore.ts";
import { unsealCredentials } from "./unsealCredentials.ts";

/**
 * Values of the credentials of a build, a test or a code scan by key, for its jobs alone.
 * @param scope of the list of variables: empty but for targets of builds from a template
 */
export async function readCredentials<Content extends object>(
  { findSecrets }: Pick<DefinitionStore<Content>, "findSecrets">,
  definition: Pick<Definition<Content>, "definitionId" | "projectKey" | "name">,
  scope = "",
): Promise<Map<string, string>> {
  return unsealCredentials(definitionOwner(definition.definitionId), await findSecrets(definition), scope);
}
