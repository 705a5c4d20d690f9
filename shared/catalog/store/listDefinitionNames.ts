import type { DefinitionKind } from "../../projects/store/projects.ts";
import { keys } from "../../store/keys.ts";
import { table } from "../../store/theTable.ts";

/** Every build, test and code scan of a project; consistent. */
export function listDefinitionNames(projectKey: string): Promise<{ kind: DefinitionKind; name: string }[]> {
  return table().query<{ kind: DefinitionKind; name: string }>({
    pk: keys.definitionOfProject(projectKey, "", "").pk,
  });
}
