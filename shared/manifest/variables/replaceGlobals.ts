import type { EnvironmentGlobal } from "./environmentVariables.ts";
import { checkVariable, normaliseVariable, type ServiceVariable } from "./serviceVariable.ts";

/**
 * The global variables of an environment after a caller sent a new list (contract P 8): only values come from the caller,
 * what is stored of a variable stays, and a new one is as the project defines it. Which services take it is kept as well,
 * unless the caller may say so.
 * @returns the list, or what is wrong with the sent one
 */
export function replaceGlobals(
  stored: readonly EnvironmentGlobal[],
  sent: readonly { key: string; value: unknown; relatedServices?: readonly string[] | undefined }[],
  definitions: readonly ServiceVariable[],
): EnvironmentGlobal[] | string {
  const kept = new Set(sent.map(({ key }) => key));
  const inUse = stored.filter(({ key, relatedServices }) => !kept.has(key) && relatedServices.length > 0);
  if (inUse.length > 0) {
    const uses = inUse.map(({ key, relatedServices }) => `${key} (used by ${relatedServices.join(", ")})`);
    return `global variables in use cannot be removed: ${uses.join("; ")}`;
  }
  const variables: EnvironmentGlobal[] = [];
  for (const { key, value, relatedServices } of sent) {
    const base = stored.find((candidate) => candidate.key === key) ?? newGlobal(key, definitions);
    if (base === undefined) return `global variables not match the definition: ${key} is not defined on the project`;
    const variable = { ...base, value };
    const problem = checkVariable(variable);
    if (problem !== undefined) return problem;
    variables.push({ ...normaliseVariable(variable), relatedServices: [...(relatedServices ?? base.relatedServices)] });
  }
  return variables;
}

function newGlobal(key: string, definitions: readonly ServiceVariable[]): EnvironmentGlobal | undefined {
  const definition = definitions.find((candidate) => candidate.key === key);
  return definition && { ...definition, relatedServices: [] };
}
