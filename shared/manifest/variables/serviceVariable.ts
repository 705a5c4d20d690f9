import { ManifestError } from "../manifestError.ts";
import { dumpYaml, readYaml, yamlValue } from "../parseYaml.ts";

export type VariableType = "bool" | "string" | "enum" | "yaml";

/** A variable of a service, the KeyVal of contract P 0.18. */
export interface ServiceVariable {
  key: string;
  value: unknown;
  type: VariableType;
  options: string[];
  desc: string;
}

/**
 * What is wrong with a variable's value (contract P 12.2); undefined when nothing is. A yaml value may be an object or
 * a list instead of text. The spelling of the texts for bool and enum is what callers know.
 */
export function checkVariable(variable: ServiceVariable): string | undefined {
  const { key, value, type, options } = variable;
  if (key === "") return "a variable needs a key";
  switch (type) {
    case "bool":
      if (typeof value === "boolean" || value === "true" || value === "false") return undefined;
      return `invaild value for boolean variable ${key}: ${shown(value)}; it must be true or false`;
    case "enum":
      if (isScalar(value) && options.includes(textOf(value))) return undefined;
      return `invaild value for enum variable ${key}: ${shown(value)}; it must be one of [${options.join(", ")}]`;
    case "yaml":
      return yamlProblem(key, value);
    case "string":
      return isScalar(value)
        ? undefined
        : `the value of ${key} must be text, a number, true or false; use type yaml for more`;
    default:
      return `the type of ${key} must be one of bool, string, enum, yaml`;
  }
}

/**
 * A variable as it is stored: a bool as true or false, a yaml value as text, no value as empty text. What `checkVariable`
 * refuses stays as it is.
 */
export function normaliseVariable(variable: ServiceVariable): ServiceVariable {
  const { value, type } = variable;
  if (type === "bool" && (value === "true" || value === "false")) return { ...variable, value: value === "true" };
  if (type === "yaml" && typeof value === "object" && value !== null) return { ...variable, value: dumpYaml(value) };
  if (type !== "bool" && (value === null || value === undefined)) return { ...variable, value: "" };
  return variable;
}

/** The first key that occurs twice in a list; undefined when there is none (contract P 20). */
export function duplicateKey(variables: readonly { key: string }[]): string | undefined {
  const seen = new Set<string>();
  return variables.find(({ key }) => seen.size === seen.add(key).size)?.key;
}

/** The caller's variables in their order, then those found in the YAML that the caller left out (contract P 12.1). */
export function mergeExtracted(
  given: readonly ServiceVariable[],
  extracted: readonly ServiceVariable[],
): ServiceVariable[] {
  const keys = new Set(given.map(({ key }) => key));
  return [...given, ...extracted.filter(({ key }) => !keys.has(key))];
}

function isScalar(value: unknown): boolean {
  return value === null || value === undefined || typeof value !== "object";
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "none";
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function yamlProblem(key: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object" && typeof value !== "string")
    return `the value of ${key} must be YAML text, a map or a list`;
  try {
    yamlValue(readYaml(typeof value === "string" ? value : dumpYaml(value)));
  } catch (error) {
    if (error instanceof ManifestError) return `the value of ${key} is not YAML: ${error.message}`;
    throw error;
  }
  return undefined;
}
