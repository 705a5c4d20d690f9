import { dumpYaml, readYaml, yamlValue } from "../../manifest/parseYaml.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { mergeValues } from "../../packaging/helm/rules/mergeValues.ts";

/**
 * Values with others over them: maps are merged, anything else is replaced (contract D 1.15).
 * @throws ManifestError
 */
export function mergedValues(values: string, over: string): string {
  return dumpYaml(mergeValues(mapOf(values), mapOf(over)));
}

/** @throws ManifestError; TypeError for what is no map */
export function mapOf(text: string): Record<string, unknown> {
  const source = readYaml(text);
  const value = source.tree === undefined ? {} : (yamlValue(source) ?? {});
  if (!isRecord(value)) throw new TypeError("must be a YAML map");
  return value;
}
