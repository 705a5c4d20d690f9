import type { ServiceVariable } from "../../../manifest/variables/serviceVariable.ts";

/** The template's text for a service: `$T-Project$` and `$T-Service$` filled in, variables untouched (contract P 3.1). */
export function filledTemplate(content: string, service: { projectKey: string; name: string }): string {
  return content.replaceAll("$T-Project$", () => service.projectKey).replaceAll("$T-Service$", () => service.name);
}

/**
 * The variables of a new service: the template's, with the values that were sent over its defaults; keys that the
 * template does not know follow as text (contract P 3.1).
 */
export function variablesWithValues(
  variables: readonly ServiceVariable[],
  values: readonly { key: string; value: unknown }[],
): ServiceVariable[] {
  const sent = new Map(values.map(({ key, value }) => [key, value]));
  const known = new Set(variables.map(({ key }) => key));
  const strangers = values.filter(({ key }) => !known.has(key));
  return [
    ...variables.map((variable) =>
      sent.has(variable.key) ? { ...variable, value: sent.get(variable.key) } : variable,
    ),
    ...strangers.map(({ key, value }): ServiceVariable => ({ key, value, type: "string", options: [], desc: "" })),
  ];
}

/**
 * The variables of a service that follows its template: keys, order, types, options and descriptions are the
 * template's; a value stays where the type did (contract P 19).
 */
export function followedVariables(
  variables: readonly ServiceVariable[],
  own: readonly ServiceVariable[],
): ServiceVariable[] {
  const kept = new Map(own.map((variable) => [variable.key, variable]));
  return variables.map((variable) => {
    const before = kept.get(variable.key);
    return before !== undefined && before.type === variable.type ? { ...variable, value: before.value } : variable;
  });
}
