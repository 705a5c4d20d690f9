import { keys } from "../keys.ts";
import type { DefinitionKind } from "../projects.ts";
import { table } from "../theTable.ts";

/** Every build, test and code scan of a project; consistent. */
export function listDefinitionNames(projectKey: string): Promise<{ kind: DefinitionKind; name: string }[]> {
  return table().query<{ kind: DefinitionKind; name: string }>({
    pk: keys.definitionOfProject(projectKey, "", "").pk,
  });
}
