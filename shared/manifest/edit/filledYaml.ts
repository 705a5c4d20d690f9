import { readYaml, yamlValue } from "../parseYaml.ts";
import type { YamlTemplate } from "./yamlTemplate.ts";
import type { YamlNode } from "./yamlTree.ts";

/**
 * The value of the YAML with its values in place. They are put into scalars that were read before, so none of them ends
 * a text or begins a key, whatever it holds; a text that is nothing but one placeholder is what its value says. In a
 * scalar without quotes a value counts for what it would there: `{{.n}}` may become a number.
 * @throws ManifestError as for a manifest
 */
export function filledYaml({ text, mark, values }: YamlTemplate): unknown {
  const marks = new RegExp(`${mark}(\\d+)Z`, "g");
  const filled = (scalar: string) => scalar.replace(marks, (_whole, at: string) => values[Number(at)] ?? "");
  if (text.trim() === `${mark}0Z`) return yamlValue(readYaml(filled(text)));
  const source = readYaml(text);
  const plain = plainTexts(source.tree);
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") {
      const whole = filled(value);
      return whole !== value && plain.has(value) ? plainValue(whole) : whole;
    }
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [filled(key), fill(one)]));
  };
  return fill(yamlValue(source));
}

/** Texts of scalars without quotes; a text with a mark occurs in one place only. */
function plainTexts(node: YamlNode | undefined, found = new Set<string>()): ReadonlySet<string> {
  if (node?.kind === "scalar" && node.isPlain && !node.tagged) found.add(node.text);
  if (node?.kind === "list") for (const item of node.items) plainTexts(item, found);
  if (node?.kind === "map") for (const { value } of node.entries) plainTexts(value, found);
  return found;
}

/** Texts that mean nothing to YAML but as a number, a boolean or null. */
const plainScalar = /^(?:[\w.+~-]*[A-Za-z0-9~][\w.+~-]*)?$/;

function plainValue(text: string): unknown {
  return plainScalar.test(text) ? (yamlValue(readYaml(text)) ?? null) : text;
}
