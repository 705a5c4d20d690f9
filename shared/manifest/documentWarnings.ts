import type { YamlNode } from "./edit/yamlTree.ts";
import type { ManifestWarning } from "./manifestWarning.ts";
import type { YamlSource } from "./parseYaml.ts";
import type { KubeObject } from "./schema/kubeObject.ts";
import { type LeftOut, spelled } from "./tidyObject.ts";

/** An object of a document, its place there, and what of it was left out. */
export interface FoundObject {
  object: KubeObject;
  /** From the document's root: none, or the items of lists. */
  path: readonly (string | number)[];
  leftOut: readonly LeftOut[];
}

interface Place extends Omit<ManifestWarning, "line"> {
  /** Offset in the document. */
  start: number;
}

/** What of a document was taken although it is not in order, in the order of the text. */
export function documentWarnings(source: YamlSource, found: readonly FoundObject[]): ManifestWarning[] {
  const places = repeatedKeys(source.tree).map(({ key, path }): Place => {
    const message = `the key ${spelled(path)} is given more than once; the last one is kept`;
    return { code: "duplicate_key", message, start: key.start };
  });
  for (const { object, path, leftOut } of found) {
    for (const { code, message, path: inside } of leftOut)
      places.push({ code, message, start: startOf(source.tree, [...path, ...inside]) });
    if (object.kind === "Namespace" && object.apiVersion === "v1") {
      const message = `Namespace "${object.metadata.name}" is left out where it is the environment's own; another one is refused`;
      places.push({ code: "namespace_left_out", message, start: startOf(source.tree, path) });
    }
  }
  return withLines(source, places);
}

function withLines({ text, place }: YamlSource, places: readonly Place[]): ManifestWarning[] {
  let line = place.line ?? 1;
  let from = 0;
  return [...places]
    .sort((a, b) => a.start - b.start)
    .map(({ start, ...warning }) => {
      for (let end = text.indexOf("\n", from); end >= 0 && end < start; end = text.indexOf("\n", from)) {
        from = end + 1;
        line++;
      }
      return { ...warning, line };
    });
}

/** Every key that a map has already, in the order of the text. */
function repeatedKeys(
  node: YamlNode | undefined,
  path: readonly (string | number)[] = [],
): { key: YamlNode; path: readonly (string | number)[] }[] {
  if (node?.kind === "list") return node.items.flatMap((item, position) => repeatedKeys(item, [...path, position]));
  if (node?.kind !== "map") return [];
  const seen = new Set<string>();
  return node.entries.flatMap(({ key, value }) => {
    const scalar = key.kind === "alias" ? key.target : key;
    if (scalar?.kind !== "scalar") return [];
    const place = [...path, scalar.text];
    const isRepeated = scalar.text !== "<<" && seen.has(scalar.text);
    seen.add(scalar.text);
    return [...(isRepeated ? [{ key, path: place }] : []), ...repeatedKeys(value, place)];
  });
}

/** Where a path begins, at its key where it has one; else the nearest place around it that is in the text itself. */
function startOf(tree: YamlNode | undefined, path: readonly (string | number)[]): number {
  let found = tree;
  let node = tree;
  for (const step of path) {
    const standing = node?.kind === "alias" ? node.target : node;
    if (standing?.kind === "list" && typeof step === "number") {
      node = standing.items[step];
      found = node ?? found;
    } else if (standing?.kind === "map") {
      const entry = standing.entries.findLast(({ key }) => key.kind === "scalar" && key.text === step);
      if (entry === undefined) break;
      node = entry.value;
      found = entry.key;
    } else break;
  }
  return found?.start ?? 0;
}
