import { findDocuments } from "../../../manifest/edit/documents.ts";
import { RENDERED_LIMITS } from "../../../manifest/limits.ts";
import { ManifestError } from "../../../manifest/manifestError.ts";
import { readYaml, yamlValue } from "../../../manifest/parseYaml.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import type { Values } from "./mergeValues.ts";

/** Longest text of values. */
export const maxValuesBytes = 1_000_000;

/**
 * Values as people write them: one YAML document that is a map; nothing is an empty map.
 * @throws ManifestError telling the line, or that it is no map
 */
export function readValues(text: string): Values {
  if (Buffer.byteLength(text) > maxValuesBytes)
    throw new ManifestError("limit", `values have more than ${maxValuesBytes} bytes`);
  const [, second] = findDocuments(text);
  if (second !== undefined)
    throw new ManifestError("object", "values are one document, and another one begins here", { line: second.line });
  const source = readYaml(text, {}, RENDERED_LIMITS);
  const value = source.tree === undefined ? undefined : yamlValue(source);
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw new ManifestError("object", "values must be a map of keys, not a list or a text");
  return value;
}
