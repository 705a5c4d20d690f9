import { isRecord } from "../../manifest/kubeObject.ts";
import { dumpYaml, readYaml, yamlValue } from "../../manifest/parseYaml.ts";

/**
 * Values with others over them: maps are merged, anything else is replaced (contract D 1.15).
 * @throws ManifestError
 */
export function mergedValues(values: string, over: string): string {
  return dumpYaml(merged(mapOf(values), mapOf(over)));
}

/** @throws ManifestError; TypeError for what is no map */
export function mapOf(text: string): Record<string, unknown> {
  const source = readYaml(text);
  const value = source.tree === undefined ? {} : (yamlValue(source) ?? {});
  if (!isRecord(value)) throw new TypeError("must be a YAML map");
  return value;
}

function merged(below: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const entries = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(over)) {
    const there = entries.get(key);
    entries.set(key, isRecord(there) && isRecord(value) ? merged(there, value) : value);
  }
  return Object.fromEntries(entries);
}
