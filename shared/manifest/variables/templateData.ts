import { readYaml, yamlValue } from "../parseYaml.ts";
import { checkVariable, normaliseVariable, type ServiceVariable } from "./serviceVariable.ts";

/** Variables whose values do not fit their types. */
export class VariableError extends Error {
  readonly variables: readonly string[];

  constructor(problems: readonly { key: string; problem: string }[]) {
    super(problems.map(({ problem }) => problem).join("; "));
    this.name = "VariableError";
    this.variables = problems.map(({ key }) => key);
  }
}

/**
 * The data a template sees: bool variables as booleans, yaml variables read, all others as they are, CRLF as LF. Of
 * equal keys the last one counts. Throws a VariableError naming every variable whose value does not fit its type.
 */
export function templateData(variables: readonly ServiceVariable[]): Record<string, unknown> {
  const problems = variables.flatMap((variable) => {
    const problem = checkVariable(variable);
    return problem ? [{ key: variable.key, problem }] : [];
  });
  if (problems.length > 0) throw new VariableError(problems);
  return Object.fromEntries(variables.map((variable) => [variable.key, dataOf(normaliseVariable(variable))]));
}

function dataOf({ type, value }: ServiceVariable): unknown {
  const plain = typeof value === "string" ? value.replaceAll("\r\n", "\n") : value;
  return type === "yaml" && typeof plain === "string" ? yamlValue(readYaml(plain)) : plain;
}
