import { badRequest, type Problem } from "../../../shared/errors/apiError.ts";
import {
  checkVariable,
  normaliseVariable,
  type ServiceVariable,
} from "../../../shared/manifest/variables/serviceVariable.ts";
import { requireProject, setGlobalVariables } from "../../../shared/projects/store/projects.ts";
import type { ServiceKind } from "../../../shared/store/keys.ts";

/** Both lists stand in one item, which may have 400 KB. */
const maxBytes = 128 * 1024;

/**
 * Replaces the definitions of one kind (contract P 26). Environments keep the values they have.
 * @throws ApiError 400 naming every value that does not fit its type; 404 for an unknown project
 */
export async function defineGlobalVariables(
  projectKey: string,
  kind: ServiceKind,
  given: readonly ServiceVariable[],
): Promise<void> {
  const project = await requireProject(projectKey);
  const problems = given.flatMap((variable, position): Problem[] => {
    const problem = checkVariable(variable);
    return problem ? [{ in: "body", path: `global_variables[${position}].value`, problem }] : [];
  });
  const variables = given.map(normaliseVariable);
  if (Buffer.byteLength(JSON.stringify(variables)) > maxBytes)
    problems.push({ in: "body", path: "global_variables", problem: `must have at most ${maxBytes} bytes as a whole` });
  if (problems.length > 0) throw badRequest(problems);
  await setGlobalVariables(project, kind, variables);
}
